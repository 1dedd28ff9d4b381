/** The hosts of the attacks N1 and N2 of docs/attacks.md. */

/** Spellings of 127.0.0.1 and of addresses that lead to it. */
export const machineSpellings = [
  ...["127.0.0.1", "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7f.1", "0177.0.0.1"],
  ...["017700000001", "127.0.0.1.", "127.000.000.001", "0", "0.0.0.0", "127.255.255.254"],
  ...["localhost", "LOCALHOST", "localhost.", "a.localhost", "\uff11\uff12\uff17.0.0.1"],
  ...["127\u30020.0.1", "%31%32%37.0.0.1", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]"],
  ...["[::ffff:0:127.0.0.1]", "[::127.0.0.1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]"],
  ...["[64:ff9b:1::7f00:1]", "[2001:0:7f00:1::]"],
];

/** Private networks, metadata services of clouds, and reserved addresses. */
export const privateHosts = [
  ...["169.254.169.254", "100.100.100.200", "168.63.129.16", "[fd00:ec2::254]", "192.0.0.192"],
  ...["metadata.google.internal", "METADATA.google.internal.", "[::ffff:169.254.169.254]"],
  ...["2852039166", "0xa9fea9fe", "[64:ff9b::a9fe:a9fe]", "[2002:a9fe:a9fe::]", "[fe80::1]"],
  ...["10.0.0.1", "172.16.0.1", "192.168.1.1", "100.64.0.1", "198.18.0.1", "224.0.0.1"],
  ...["255.255.255.255", "240.0.0.1", "192.0.2.1", "[fd12::1]", "[ff02::1]", "printer.local"],
];
