import { expect } from "@std/expect";
import {
  canonicalGrant,
  decideAddress,
  decideHost,
  type HostScopes,
} from "../../../../../src/runner/sandbox/policy/hosts.ts";
import { toolcall } from "../../../../support/executable.ts";

/** The scopes of flags such as `--allow-net`, `--allow-net=a,b`, `--deny-net=c` and `-A`. */
function scopes(...flags: string[]): HostScopes {
  const values = (name: string) =>
    flags.filter((flag) => flag.startsWith(`${name}=`))
      .flatMap((flag) => flag.slice(name.length + 1).split(",").map(canonicalGrant));
  const named = values("allow");
  const denied = values("deny");
  return {
    all: flags.includes("-A"),
    allow: flags.includes("allow") ? true : named,
    named,
    deny: flags.includes("deny") ? true : denied,
  };
}

Deno.test("hosts > a flag's host gets a canonical form, or is refused", () => {
  const forms: [given: string, form: string][] = [
    ["example.com", "example.com"],
    ["EXAMPLE.Com.", "example.com"],
    ["example.com:443", "example.com:443"],
    ["example.com.:0443", "example.com:443"],
    ["*.Example.com", "*.example.com"],
    ["*.example.com:8080", "*.example.com:8080"],
    ["127.1", "127.0.0.1"],
    ["0x7f.1:80", "127.0.0.1:80"],
    ["[::1]", "[::1]"],
    ["[0:0:0:0:0:0:0:1]:8080", "[::1]:8080"],
    ["[::FFFF:127.0.0.1]", "[::ffff:7f00:1]"],
    [":443", ":443"],
    ["10.0.0.0/8", "10.0.0.0/8"],
    ["b\u00fccher.example", "xn--bcher-kva.example"],
    ["a_b.example", "a_b.example"],
  ];
  for (const [given, form] of forms) {
    expect({ given, form: canonicalGrant(given) }).toEqual({ given, form });
  }
  const wrong: [given: string, says: string][] = [
    ["", "not a host name"],
    ["::1", "in brackets"],
    ["example.com:", "not a number"],
    ["example.com:99999", "not a number"],
    [":", "not a number"],
    ["http://example.com", "only the host"],
    ["example.com/path", "not a block"],
    ["10.0.0.0/33", "not a block"],
    ["10.0.0.0/8:80", "cannot have a port"],
    ["*", "not a host name"],
    ["*.*.com", "not a host name"],
    ["a.*.com", "not a host name"],
    ["user@example.com", "not a host name"],
    ["exa mple", "not a host name"],
    ["%65xample.com", "not a host name"],
    ["example..com", "not a host name"],
    ["..", "not a host name"],
    ["1.2.3.4.5", "not a host name"],
    ["999.1.1.1", "not a host name"],
    ["[::1", "in brackets"],
  ];
  for (const [given, says] of wrong) expect(() => canonicalGrant(given)).toThrow(says);
});

Deno.test("hosts > a malformed host in a flag is a usage error", async () => {
  for (const flag of ["--allow-net=::1", "--deny-net=http://x", "--allow-net=a,b:c"]) {
    const { code, stdout, stderr } = await toolcall([flag, "fs.list", "{}"]);
    expect({ flag, code, stdout }).toEqual({ flag, code: 2, stdout: "" });
    expect(stderr).toContain("for a host");
  }
});

Deno.test("hosts > a name, an address, a port, a wildcard or a block allows a host", () => {
  const cases: [flags: string[], needed: string, granted: boolean][] = [
    [[], "example.com:443", false],
    [["allow=example.com"], "example.com:443", true],
    [["allow=example.com"], "example.com:1", true],
    [["allow=example.com:443"], "example.com:443", true],
    [["allow=example.com:443"], "example.com:80", false],
    [["allow=example.com:443"], "example.com:4430", false],
    [["allow=example.com"], "www.example.com:443", false],
    [["allow=example.com"], "example.com.evil.org:443", false],
    [["allow=example.com"], "notexample.com:443", false],
    [["allow=*.example.com"], "www.example.com:443", true],
    [["allow=*.example.com"], "a.b.example.com:443", true],
    [["allow=*.example.com"], "example.com:443", true],
    [["allow=*.example.com"], "notexample.com:443", false],
    [["allow=*.example.com:80"], "www.example.com:443", false],
    [["allow=:443"], "example.com:443", true],
    [["allow=:443"], "example.com:80", false],
    [["allow=:443"], "127.0.0.1:443", false],
    [["allow=:443"], "localhost:443", false],
    [["allow=8.0.0.0/8"], "8.8.8.8:53", true],
    [["allow=8.0.0.0/8"], "9.8.8.8:53", false],
    [["allow=8.0.0.0/8"], "dns.google:53", false],
    [["allow=10.0.0.0/8"], "10.1.2.3:80", true],
    [["allow=0.0.0.0/0"], "10.1.2.3:80", false],
    [["allow=0.0.0.0/0"], "1.1.1.1:80", true],
    [["allow=100.64.0.0/10"], "100.64.0.1:80", true],
    [["allow=100.64.0.0/10"], "100.100.100.200:80", false],
    [["allow"], "example.com:443", true],
    [["allow"], "127.0.0.1:443", false],
    [["allow"], "[::1]:443", false],
    [["-A"], "example.com:443", true],
    [["-A"], "127.0.0.1:443", false],
    [["-A"], "localhost:443", false],
    [["-A"], "a.localhost:443", false],
    [["-A"], "printer.local:443", false],
    [["-A"], "metadata.google.internal:80", false],
    [["-A"], "169.254.169.254:80", false],
    [["-A", "allow=127.0.0.1:443"], "127.0.0.1:443", true],
    [["-A", "allow=127.0.0.1:443"], "127.0.0.1:80", false],
    [["allow", "allow=127.0.0.1"], "127.0.0.1:80", true],
    [["allow", "allow=localhost"], "localhost:80", true],
    [["allow=localhost"], "a.localhost:80", false],
    [["allow=*.localhost"], "a.localhost:80", false],
    [["allow=*.internal"], "metadata.google.internal:80", false],
    [["allow=metadata.google.internal"], "metadata.google.internal:80", true],
    [["allow=169.254.169.254"], "169.254.169.254:80", true],
    [["allow=169.254.0.0/16"], "169.254.169.254:80", false],
    [["allow=127.0.0.1"], "[::ffff:7f00:1]:80", false],
    [["allow=[::ffff:127.0.0.1]"], "[::ffff:7f00:1]:80", true],
    [["allow=127.0.0.1"], "localhost:80", false],
    [["-A", "deny=example.com"], "example.com:80", false],
    [["-A", "deny=example.com:443"], "example.com:80", true],
    [["-A", "deny=example.com:80"], "example.com:80", false],
    [["-A", "deny=*.example.com"], "a.example.com:80", false],
    [["-A", "deny=:80"], "example.com:80", false],
    [["allow=example.com", "deny"], "example.com:80", false],
    [["allow=127.0.0.1", "deny=127.0.0.0/8"], "127.0.0.1:80", false],
    [["allow=[::ffff:127.0.0.1]", "deny=127.0.0.1"], "[::ffff:7f00:1]:80", false],
    [["allow=[64:ff9b::7f00:1]", "deny=127.0.0.1"], "[64:ff9b::7f00:1]:80", false],
  ];
  for (const [flags, needed, granted] of cases) {
    const decision = decideHost(needed, scopes(...flags));
    expect({ flags, needed, granted: decision.granted }).toEqual({ flags, needed, granted });
  }
});

Deno.test("hosts > the address that a name resolves to is checked too", () => {
  const cases: [flags: string[], address: string, says: string | undefined][] = [
    [["allow"], "93.184.216.34", undefined],
    [["allow"], "10.0.0.5", "needs --allow-net=host.example:80"],
    [["-A"], "127.0.0.1", "needs --allow-net=host.example:80"],
    [["allow=:80"], "127.0.0.1", "needs --allow-net=host.example:80"],
    [["allow=*.example"], "10.0.0.5", "needs --allow-net=host.example:80"],
    [["allow=host.example"], "10.0.0.5", undefined],
    [["allow=host.example:80"], "127.0.0.1", undefined],
    [["allow=host.example:81"], "127.0.0.1", "needs --allow-net=host.example:80"],
    [["allow=host.example"], "fd00::1", undefined],
    [["allow=host.example"], "169.254.169.254", "needs --allow-net=169.254.169.254:80"],
    [["allow=host.example"], "fe80::1", "needs --allow-net=[fe80::1]:80"],
    [["allow=host.example"], "fd00:ec2::254", "needs --allow-net=[fd00:ec2::254]:80"],
    [["allow=host.example"], "0.0.0.0", "needs --allow-net=0.0.0.0:80"],
    [["allow=host.example,169.254.169.254"], "169.254.169.254", undefined],
    [["allow", "allow=10.0.0.5"], "10.0.0.5", undefined],
    [["allow", "allow=10.0.0.0/8"], "10.0.0.5", undefined],
    [["allow=host.example", "deny=10.0.0.5"], "10.0.0.5", "--deny-net=10.0.0.5 forbids"],
    [["allow=host.example", "deny=10.0.0.0/8"], "10.0.0.5", "--deny-net=10.0.0.0/8 forbids"],
    [["allow=host.example", "deny=10.0.0.5:81"], "10.0.0.5", undefined],
    [["allow=host.example", "deny=93.184.216.34"], "93.184.216.34", "--deny-net=93.184.216.34"],
  ];
  for (const [flags, address, says] of cases) {
    const needed = "host.example:80";
    const { granted, denied, flag, why } = decideAddress(address, {
      needed,
      scopes: scopes(...flags),
    });
    const said = granted ? undefined : denied ? `${flag} forbids` : `${why}: needs ${flag}`;
    expect({ flags, address, granted }).toEqual({ flags, address, granted: says === undefined });
    if (says !== undefined) expect(said).toContain(says);
  }
});
