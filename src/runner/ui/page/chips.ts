/// <reference lib="dom" />
/** Permission flags as chips: one chip for each value. */

/** One value of a permission flag. Without a value it stands for everything of its kind. */
export interface Chip {
  /** Whether the flag allows or denies. */
  side: "allow" | "deny";
  /** The kind of permission. */
  kind: string;
  /** The value. Without it, the chip stands for everything of its kind. */
  value?: string;
}

/** The kinds of permissions, with the word for people and an example of a value. */
export const KINDS: readonly [kind: string, word: string, example: string][] = [
  ["read", "Read files", "."],
  ["write", "Write files", "."],
  ["net", "Network", "example.com"],
  ["run", "Start programs", "git"],
  ["env", "Environment", "HOME"],
  ["sys", "System information", "hostname"],
  ["mcp", "MCP servers", "server"],
];

/** Splits flags into chips. */
export function chipsOf(flags: readonly string[]): Chip[] {
  return flags.flatMap((flag): Chip[] => {
    if (flag === "--allow-all" || flag === "-A") return [{ side: "allow", kind: "all" }];
    const [, side, kind, list] = /^--(allow|deny)-(\w+)(?:=(.*))?$/s.exec(flag) ?? [];
    if (!kind) return [];
    const chip = { side: side as Chip["side"], kind };
    if (list === undefined) return [chip];
    return list.replaceAll(",,", "\0").split(",").map((value) => ({
      ...chip,
      value: value.replaceAll("\0", ","),
    }));
  });
}

/** Joins chips to flags. */
export function chipFlags(chips: readonly Chip[]): string[] {
  const groups = new Map<string, string[] | undefined>();
  for (const { side, kind, value } of chips) {
    const name = `--${side}-${kind}`;
    if (value === undefined) groups.set(name, undefined);
    else if (!groups.has(name) || groups.get(name)) {
      groups.set(name, [...new Set([...groups.get(name) ?? [], value])]);
    }
  }
  return [...groups].map(([name, values]) =>
    values === undefined
      ? name
      : `${name}=${values.map((each) => each.replaceAll(",", ",,")).join(",")}`
  );
}

/** A word for the shell. */
export const quoted = (word: string) =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

/** The revision of MCP in which a call needs no session. */
const MCP_REVISION = "2026-07-28";

/** The ways to copy a call. */
export function copies(
  name: string,
  args: Record<string, unknown>,
  flags: readonly string[],
  origin: string,
): Record<string, string> {
  const json = JSON.stringify({ name, arguments: args });
  const argv = [...flags, "call"];
  const list = JSON.stringify(["toolcall", ...argv]);
  const rpc = JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: {
      name,
      arguments: args,
      _meta: {
        "io.modelcontextprotocol/protocolVersion": MCP_REVISION,
        "io.modelcontextprotocol/clientInfo": { name: "curl", version: "8" },
        "io.modelcontextprotocol/clientCapabilities": {},
      },
    },
  });
  return {
    CLI: `printf %s ${quoted(json)} | toolcall ${argv.map(quoted).join(" ")}`,
    JSON: json,
    curl: [
      `curl -s ${origin}/mcp`,
      '-H "Authorization: Bearer $TOKEN"',
      "-H 'Content-Type: application/json'",
      "-H 'Accept: application/json, text/event-stream'",
      `-H 'MCP-Protocol-Version: ${MCP_REVISION}'`,
      "-H 'Mcp-Method: tools/call'",
      `-H ${quoted(`Mcp-Name: ${name}`)}`,
      `-d ${quoted(rpc)}`,
    ].join(" "),
    Python: `import json, subprocess\ncall = json.loads(${
      JSON.stringify(json)
    })\ndone = subprocess.run(${list}, input=json.dumps(call), capture_output=True, text=True)\nprint(done.stdout, end="")`,
    Node:
      `const { spawnSync } = require("node:child_process");\nconst { stdout } = spawnSync("toolcall", ${
        JSON.stringify(argv)
      }, {\n  input: ${JSON.stringify(json)},\n});\nprocess.stdout.write(stdout);`,
    Link: `${origin}/#/tools/${encodeURIComponent(name)}?args=${
      encodeURIComponent(JSON.stringify(args))
    }`,
  };
}
