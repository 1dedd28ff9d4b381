/** The text of the profile for macOS. This test evaluates its rules; it needs no Mac. */
import { expect } from "@std/expect";
import type { FileRights } from "../../../../../src/runner/sandbox/linux/landlock.ts";
import type { NetworkPlan } from "../../../../../src/runner/sandbox/policy/program_rights.ts";
import {
  macBaseRights,
  seatbeltProfile,
} from "../../../../../src/runner/sandbox/macos/seatbelt.ts";

type Expression = string | { text: string } | Expression[];

const nothing: FileRights = { read: [], list: [], write: [], execute: [], device: [] };
const noNetwork: NetworkPlan = { network: "none", ports: [] };

/**
 * Parses the expressions of a profile, and unescapes its strings. Throws if the profile is not well
 * formed.
 */
function expressions(profile: string): Expression[] {
  const stack: Expression[][] = [[]];
  const tokens = /\s+|[()]|"((?:[^"\\]|\\[\\"nrt])*)"|([^\s()"\\;#]+)/gy;
  while (tokens.lastIndex < profile.length) {
    const at = tokens.lastIndex;
    const token = tokens.exec(profile);
    if (token === null) throw new Error(`Not an expression: ${profile.slice(at, at + 40)}`);
    const [all, quoted, word] = token;
    if (all === "(") stack.push([]);
    else if (all === ")") {
      const list = stack.pop()!;
      if (stack.length === 0) throw new Error("A parenthesis too many");
      stack.at(-1)!.push(list);
    } else if (quoted !== undefined) stack.at(-1)!.push({ text: unescaped(quoted) });
    else if (word !== undefined) stack.at(-1)!.push(word);
  }
  if (stack.length !== 1) throw new Error("A parenthesis too few");
  return stack[0]!;
}

function unescaped(quoted: string): string {
  const meanings: Record<string, string> = { n: "\n", r: "\r", t: "\t" };
  return quoted.replace(/\\(.)/g, (_, letter: string) => meanings[letter] ?? letter);
}

interface Rule {
  effect: "allow" | "deny";
  operations: string[];
  filters: { kind: string; values: string[] }[];
}

function rulesOf(profile: string): Rule[] {
  const [version, ...rules] = expressions(profile) as Expression[][];
  expect(version).toEqual(["version", "1"]);
  return rules.map(([effect, ...rest]) => ({
    effect: effect as Rule["effect"],
    operations: rest.filter((each) => typeof each === "string") as string[],
    filters: rest.filter((each) => Array.isArray(each)).map((each) => {
      const [kind, ...values] = each as [string, ...(string | { text: string })[]];
      return {
        kind,
        values: values.map((value) => typeof value === "string" ? value : value.text),
      };
    }),
  }));
}

/** Whether the rules allow `operation` on `path`. The last rule that matches decides. */
function allows(rules: Rule[], operation: string, path: string): boolean {
  let effect: Rule["effect"] = "deny";
  for (const rule of rules) {
    const isMeant = rule.operations.some((name) =>
      name === "default" || name === operation ||
      (name.endsWith("*") && operation.startsWith(name.slice(0, -1)))
    );
    const matches = rule.filters.length === 0 || rule.filters.some(({ kind, values: [value] }) => {
      if (kind === "literal") return path === value;
      return kind === "subpath" &&
        (value === "/" || path === value || path.startsWith(`${value}/`));
    });
    if (isMeant && matches) effect = rule.effect;
  }
  return effect === "allow";
}

/** Operations, each with the only rights that allow it. */
const OPERATIONS: readonly [operation: string, rights: readonly (keyof FileRights)[]][] = [
  ["process-exec", ["execute"]],
  ["process-exec-interpreter", ["execute"]],
  ["file-read-data", ["read", "list", "device"]],
  ["file-read-xattr", ["read", "device"]],
  ["file-write-data", ["write", "device"]],
  ["file-write-create", ["write"]],
  ["file-write-unlink", ["write"]],
  ["file-write-mode", ["write"]],
  ["file-link", ["write"]],
  ["file-clone", []],
  ["file-ioctl", ["device"]],
];

const head = `(version 1)
(deny default)
(deny process-info*)
(deny file-link file-clone)
(allow process-fork)
(allow process-info* (target same-sandbox))
(allow signal (target same-sandbox))
(allow sysctl-read)
(allow file-read-metadata file-test-existence)
(allow file-read-data (literal "/"))
(allow mach-lookup
  (global-name "com.apple.system.opendirectoryd.libinfo"))
`;

Deno.test("seatbelt > each right adds only its own lines", async (t) => {
  const rows: [name: string, rights: Partial<FileRights>, lines: string][] = [
    ["no right", {}, ""],
    [
      "read",
      { read: ["/a", "/b/c"] },
      '(allow file-read*\n  (subpath "/a")\n  (subpath "/b/c"))\n',
    ],
    ["read everything", { read: ["/"] }, '(allow file-read*\n  (subpath "/"))\n'],
    ["list", { list: ["/a"] }, '(allow file-read-data\n  (literal "/a"))\n'],
    [
      "write",
      { write: ["/a"] },
      '(allow file-write*\n  (subpath "/a"))\n(allow file-link\n  (subpath "/a"))\n',
    ],
    ["execute", { execute: ["/bin/sh"] }, '(allow process-exec*\n  (subpath "/bin/sh"))\n'],
    [
      "device",
      { device: ["/dev/null"] },
      '(allow file-read* file-write-data file-ioctl\n  (subpath "/dev/null"))\n',
    ],
    ["the same path twice", { list: ["/a", "/a"] }, '(allow file-read-data\n  (literal "/a"))\n'],
  ];
  for (const [name, rights, lines] of rows) {
    await t.step(name, () => {
      expect(seatbeltProfile({ ...nothing, ...rights }, noNetwork)).toBe(head + lines);
    });
  }
});

Deno.test("seatbelt > the network is closed, open for TCP to ports, or open for TCP, UDP and the resolver only", async (t) => {
  const both = (side: string) => [[side, "tcp", "*:*"], [side, "udp", "*:*"]];
  const rows: [plan: NetworkPlan, rules: [operation: string, filters: string[][]][]][] = [
    [noNetwork, []],
    [{ network: "ports", ports: [] }, []],
    [{ network: "ports", ports: [443] }, [["network-outbound", [["remote", "tcp", "*:443"]]]]],
    [{ network: "ports", ports: [443, 80, 443] }, [
      ["network-outbound", [["remote", "tcp", "*:443"], ["remote", "tcp", "*:80"]]],
    ]],
    [{ network: "all", ports: [] }, [
      ["network-outbound", [...both("remote"), ["literal", "/private/var/run/mDNSResponder"]]],
      ["network-bind", both("local")],
      ["network-inbound", both("local")],
    ]],
  ];
  for (const [plan, rules] of rows) {
    await t.step(`${plan.network} ${plan.ports.join(",")}`, () => {
      const profile = seatbeltProfile(nothing, plan);
      const found = rulesOf(profile).filter(({ operations }) =>
        operations.some((name) => name.startsWith("network") || name === "system-socket")
      );
      expect(found).toEqual(rules.map(([operation, filters]) => ({
        effect: "allow",
        operations: [operation],
        filters: filters.map(([kind, ...values]) => ({ kind, values })),
      })));
      expect(profile).not.toContain("unix");
    });
  }
});

Deno.test("seatbelt > any path becomes one string with exactly its meaning", async (t) => {
  const rows: [name: string, path: string, written: string][] = [
    ["a quote", '/a"b', '"/a\\"b"'],
    ["a backslash", "/a\\b", '"/a\\\\b"'],
    ["a backslash at the end", "/a\\", '"/a\\\\"'],
    ["a backslash and an n", "/a\\n", '"/a\\\\n"'],
    ["a newline", "/a\nb", '"/a\\nb"'],
    ["a return and a tab", "/a\r\tb", '"/a\\r\\tb"'],
    ["parentheses", "/a (1)/b)", '"/a (1)/b)"'],
    ["a comment's sign", "/a;b#c", '"/a;b#c"'],
    ["other scripts", "/ä/日本/🦕", '"/ä/日本/🦕"'],
    [
      "a rule",
      '/x"))(allow default)(deny file-read* (literal "/y',
      '"/x\\"))(allow default)(deny file-read* (literal \\"/y"',
    ],
    ["dots in a name", "/...a/.b/c..", '"/...a/.b/c.."'],
    ["1,023 bytes", `/${"ä".repeat(511)}`, `"/${"ä".repeat(511)}"`],
  ];
  for (const [name, path, written] of rows) {
    await t.step(name, () => {
      for (const right of Object.keys(nothing)) {
        const profile = seatbeltProfile({ ...nothing, [right]: [path] }, noNetwork);
        expect(profile).toContain(` ${written})`);
        const own = rulesOf(profile).slice(rulesOf(head).length);
        expect(new Set(own.flatMap(({ filters }) => filters.flatMap(({ values }) => values))))
          .toEqual(new Set([path]));
      }
    });
  }
});

Deno.test("seatbelt > a path that no rule can name is refused", async (t) => {
  const rows: [name: string, path: string][] = [
    ["an empty path", ""],
    ["a relative path", "a/b"],
    ["a step up", "/a/../b"],
    ["a step in place", "/a/./b"],
    ["a slash at the end", "/a/"],
    ["two slashes", "//a"],
    ["a NUL character", "/a\0b"],
    ["half a character", "/a\ud800"],
    ["a replacement character", "/a\ufffd"],
    ["1,024 bytes", `/${"a".repeat(1023)}`],
  ];
  for (const [name, path] of rows) {
    await t.step(name, () => {
      for (const right of Object.keys(nothing)) {
        expect(() => seatbeltProfile({ ...nothing, [right]: ["/ok", path] }, noNetwork))
          .toThrow(TypeError);
      }
    });
  }
});

Deno.test("seatbelt > random rights open each path to exactly the operations of the rights that name it", () => {
  const random = generator(20_261_122);
  const names = ["a", "b", 'q"', "s\\", "(p)", "n\nl", "ü"];
  const pathOf = () =>
    `/${Array.from({ length: 1 + random(3) }, () => names[random(names.length)]).join("/")}`;
  const isIn = (path: string, directory: string) =>
    path === directory || path.startsWith(`${directory}/`);
  let [open, shut] = [0, 0];
  for (let round = 0; round < 200; round++) {
    const rights = { ...nothing };
    for (const right of Object.keys(nothing) as (keyof FileRights)[]) {
      rights[right] = Array.from({ length: random(4) }, pathOf);
    }
    const profile = seatbeltProfile(rights, noNetwork);
    const rules = rulesOf(profile);
    const given = new Set(Object.values(rights).flat());
    for (const { filters } of rules) {
      for (const { kind, values } of filters) {
        if (kind === "literal" && values[0] === "/") continue; // The loader reads the root.
        if (kind === "literal" || kind === "subpath") expect(given.has(values[0]!)).toBe(true);
      }
    }
    for (const path of [...given, ...[...given].map((each) => `${each}/x`), pathOf(), "/a2", "/"]) {
      for (const [operation, openers] of OPERATIONS) {
        const isOpen = openers.some((right) =>
          rights[right]!.some((each) =>
            right === "list" ? each === path : isIn(path, each)
          )
        ) || (path === "/" && operation === "file-read-data");
        isOpen ? open++ : shut++;
        if (allows(rules, operation, path) !== isOpen) {
          throw new Error(
            `${operation} of ${path} must be ${isOpen ? "open" : "shut"} in ${profile}`,
          );
        }
      }
      expect(allows(rules, "file-read-metadata", path)).toBe(true);
    }
  }
  // Both results occurred often.
  expect(open).toBeGreaterThan(2_000);
  expect(shut).toBeGreaterThan(2_000);
});

Deno.test("seatbelt > the parser of this test refuses profiles that are not well formed", () => {
  for (const text of ["(a", "(a))", '("a)', '("\\q")', '("a" "b\\")']) {
    expect(() => expressions(text)).toThrow();
  }
});

Deno.test("seatbelt > other processes cannot be inspected or signaled under any flags", () => {
  const everything = { ...nothing, read: ["/"], write: ["/"], execute: ["/"], device: ["/"] };
  const rules = rulesOf(seatbeltProfile(everything, { network: "all", ports: [] }));
  for (const operation of ["signal", "process-info*"]) {
    const about = rules.filter(({ operations }) => operations.includes(operation));
    expect(about.at(-1)).toEqual({
      effect: "allow",
      operations: [operation],
      filters: [{ kind: "target", values: ["same-sandbox"] }],
    });
  }
  // Only these rules allow an operation without a filter.
  expect(rules.filter(({ effect, filters }) => effect === "allow" && filters.length === 0))
    .toEqual([["process-fork"], ["sysctl-read"], ["file-read-metadata", "file-test-existence"]].map(
      (operations) => ({ effect: "allow", operations, filters: [] }),
    ));
});

Deno.test("seatbelt > the base rights contain paths of the system and no path of a user", () => {
  const base = macBaseRights;
  const rules = rulesOf(seatbeltProfile({ ...nothing, ...base }, noNetwork));
  const rows: [operation: string, path: string, isOpen: boolean][] = [
    ["file-read-data", "/usr/lib/dyld", true],
    ["file-read-data", "/System/Library/CoreServices/SystemVersion.plist", true],
    ["file-read-data", "/private/etc/ssl/cert.pem", true],
    ["file-read-data", "/private/etc/hosts", true],
    ["process-exec", "/Library/Developer/CommandLineTools/usr/bin/git", true],
    ["file-write-data", "/dev/null", true],
    ["process-exec", "/bin/sh", false],
    ["process-exec", "/System/Library/CoreServices/Finder.app/Contents/MacOS/Finder", false],
    ["file-read-data", "/private/etc/master.passwd", false],
    ["file-read-data", "/private/etc/ssh/ssh_host_rsa_key", false],
    ["file-read-data", "/Users/me/.ssh/id_rsa", false],
    ["file-read-data", "/private/tmp/x", false],
    ["file-read-data", "/Library/Keychains/System.keychain", false],
    ["file-write-data", "/usr/lib/x", false],
    ["file-write-unlink", "/dev/null", false],
    ["file-read-data", "/dev/tty", false],
  ];
  for (const [operation, path, isOpen] of rows) {
    expect([operation, path, allows(rules, operation, path)]).toEqual([operation, path, isOpen]);
  }
});

/** Random integers below `limit`, the same ones in every run (mulberry32). */
function generator(seed: number): (limit: number) => number {
  return (limit) => {
    seed = (seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(seed ^ (seed >>> 15), seed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
}
