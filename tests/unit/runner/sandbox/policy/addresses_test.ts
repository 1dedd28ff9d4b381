import { expect } from "@std/expect";
import {
  addressKind,
  isInBlock,
  isLocalBlock,
} from "../../../../../src/runner/sandbox/policy/addresses.ts";

/** Rows: an address, its kind, and a word of its description. */
const rows: readonly (readonly [address: string, kind: string, what: string])[] = [
  // Public addresses, also next to the bounds of special blocks.
  ...["1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "93.184.216.34", "100.63.255.255"]
    .map((each) => [each, "public", "public"] as const),
  ...["100.128.0.0", "126.255.255.255", "128.0.0.0", "169.253.255.255", "169.255.0.0"]
    .map((each) => [each, "public", "public"] as const),
  ...["172.15.255.255", "172.32.0.0", "192.0.1.0", "192.167.255.255", "192.169.0.0"]
    .map((each) => [each, "public", "public"] as const),
  ...["198.17.255.255", "198.20.0.0", "223.255.255.255", "192.88.98.255", "168.63.129.15"]
    .map((each) => [each, "public", "public"] as const),
  ...["2606:4700:4700::1111", "2001:4860:4860::8888", "2a00:1450:4001:82a::200e", "2001:200::"]
    .map((each) => [each, "public", "public"] as const),
  ["::ffff:8.8.8.8", "public", "public"],
  ["::ffff:808:808", "public", "public"],
  ["64:ff9b::808:808", "public", "public"],
  ["2002:808:808::1", "public", "public"],
  // Addresses of this machine and its network.
  ["127.0.0.1", "local", "loopback"],
  ["127.255.255.255", "local", "loopback"],
  ["::1", "local", "loopback"],
  ["0:0:0:0:0:0:0:1", "local", "loopback"],
  ["10.0.0.0", "local", "private"],
  ["10.255.255.255", "local", "private"],
  ["172.16.0.0", "local", "private"],
  ["172.31.255.255", "local", "private"],
  ["192.168.0.0", "local", "private"],
  ["192.168.255.255", "local", "private"],
  ["fc00::1", "local", "private"],
  ["fdff:ffff::1", "local", "private"],
  ["fec0::1", "local", "private"],
  ["100.64.0.0", "local", "provider"],
  ["100.127.255.255", "local", "provider"],
  ["198.18.0.1", "local", "tests"],
  ["198.19.255.255", "local", "tests"],
  // IPv6 addresses that contain a local address.
  ["::ffff:127.0.0.1", "local", "loopback"],
  ["::ffff:7f00:1", "local", "loopback"],
  ["::ffff:10.1.2.3", "local", "private"],
  ["64:ff9b::7f00:1", "local", "loopback"],
  ["64:ff9b::10.0.0.1", "local", "private"],
  ["2002:7f00:1::", "local", "loopback"],
  ["2002:c0a8:101::5", "local", "private"],
  // Addresses that only a flag with exactly this address allows.
  ["169.254.169.254", "special", "metadata"],
  ["100.100.100.200", "special", "metadata"],
  ["168.63.129.16", "special", "metadata"],
  ["192.0.0.192", "special", "metadata"],
  ...["fd00:ec2::254", "fd00:ec2::23", "fd00:ec2::253", "fd20:ce::254", "fd00:42::42"]
    .map((each) => [each, "special", "metadata"] as const),
  ...["fd00:c1::a9fe:a9fe", "fd00:100::100:200", "fd00:a9fe:a9fe::1", "100.96.0.96"]
    .map((each) => [each, "special", "metadata"] as const),
  // The IPv6 address at which OpenStack answers is link-local.
  ["fe80::a9fe:a9fe", "special", "link-local"],
  ["fd20:ce::253", "local", "private"],
  ["::ffff:169.254.169.254", "special", "metadata"],
  ["64:ff9b::a9fe:a9fe", "special", "metadata"],
  ["2002:a9fe:a9fe::", "special", "metadata"],
  ["169.254.0.1", "special", "link-local"],
  ["169.254.255.255", "special", "link-local"],
  ["fe80::1", "special", "link-local"],
  ["febf::1", "special", "link-local"],
  ["0.0.0.0", "special", "no address"],
  ["0.255.255.255", "special", "no address"],
  ["::", "special", "no address"],
  ["224.0.0.1", "special", "multicast"],
  ["239.255.255.255", "special", "multicast"],
  ["ff02::1", "special", "multicast"],
  ["192.0.0.1", "special", "reserved"],
  ["192.88.99.1", "special", "reserved"],
  ["240.0.0.1", "special", "reserved"],
  ["255.255.255.255", "special", "reserved"],
  ["2001::1", "special", "reserved"],
  ["2001:0:7f00:1::", "special", "reserved"],
  ["2001:1ff:ffff::", "special", "reserved"],
  ["192.0.2.1", "special", "documentation"],
  ["198.51.100.1", "special", "documentation"],
  ["203.0.113.255", "special", "documentation"],
  ["2001:db8::1", "special", "documentation"],
  ["3fff::1", "special", "documentation"],
  // IPv4-compatible, local NAT64, translated, discarded and unassigned addresses.
  ["::7f00:1", "special", "reserved"],
  ["::808:808", "special", "reserved"],
  ["64:ff9b:1::808:808", "special", "reserved"],
  ["::ffff:0:808:808", "special", "reserved"],
  ["100::1", "special", "reserved"],
  ["1fff:ffff::", "special", "reserved"],
  ["4000::", "special", "reserved"],
  ["5f00::1", "special", "reserved"],
];

Deno.test("addresses > each address has the kind that the registries of special addresses give", () => {
  for (const [address, kind, what] of rows) {
    for (const written of address.includes(":") ? [address, `[${address}]`] : [address]) {
      const found = addressKind(written);
      expect({ address, kind: found?.kind }).toEqual({ address, kind });
      expect(found?.what).toContain(what);
    }
  }
});

Deno.test("addresses > a host name or another spelling is not an address", () => {
  for (
    const text of ["", "example.com", "127.1", "2130706433", "256.1.1.1", "1.2.3", "g::1", ":::"]
  ) {
    expect({ text, kind: addressKind(text) }).toEqual({ text, kind: undefined });
  }
});

Deno.test("addresses > a block contains its addresses, also in IPv6", () => {
  const cases: [address: string, block: string, isIn: boolean][] = [
    ["10.1.2.3", "10.0.0.0/8", true],
    ["11.0.0.0", "10.0.0.0/8", false],
    ["10.1.2.3", "10.1.2.3/32", true],
    ["10.1.2.4", "10.1.2.3/32", false],
    ["1.2.3.4", "0.0.0.0/0", true],
    ["::1", "0.0.0.0/0", false],
    ["::ffff:10.1.2.3", "10.0.0.0/8", true],
    ["64:ff9b::a01:203", "10.0.0.0/8", true],
    ["[2001:db8:1::5]", "2001:db8::/32", true],
    ["[2001:db9::5]", "2001:db8::/32", false],
    ["example.com", "0.0.0.0/0", false],
  ];
  for (const [address, block, isIn] of cases) {
    expect({ address, block, isIn: isInBlock(address, block) }).toEqual({ address, block, isIn });
  }
  const blocks: [block: string, isLocal: boolean][] = [
    ["10.0.0.0/8", true],
    ["10.9.0.0/16", true],
    ["127.0.0.0/8", true],
    ["8.0.0.0/5", false],
    ["0.0.0.0/0", false],
    ["169.254.0.0/16", false],
    ["fd12::/16", true],
  ];
  for (const [block, isLocal] of blocks) {
    expect({ block, isLocal: isLocalBlock(block) }).toEqual({ block, isLocal });
  }
  for (const wrong of ["10.0.0.0", "10.0.0.0/33", "10.0/8", "::/129", "a/8", "10.0.0.0/-1", "/"]) {
    expect(() => isLocalBlock(wrong)).toThrow("not a block");
  }
});
