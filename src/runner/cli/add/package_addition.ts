import { dirname } from "@std/path/posix/dirname";
import { UsageError } from "../../../base/errors.ts";
import { isObject } from "../../../base/json/is_object.ts";
import { quote, quotePath } from "../../../base/text/quote.ts";
import { configFiles } from "../../config/config_files.ts";
import {
  type AdditionOptions,
  describeCommandTool,
  edit,
  refuseTaken,
  type ToolAddition,
} from "./additions.ts";

/** The name of a package, perhaps with its version. */
const SPECIFIER = /^((?:@[a-z0-9][\w.-]*\/)?[a-z0-9][\w.-]*)(?:@([\w.^~*-]+))?$/i;

/** The time that npm has, in milliseconds. */
const NPM_MS = 180_000;

/** A version of a package, as its registry describes it. */
interface PackageVersion {
  name: string;
  version: string;
  integrity: string;
  /** The paths of its programs in the package, by their names. */
  programs: Readonly<Record<string, string>>;
  /** The command tools of its key `toolcall`. */
  commands: Readonly<Record<string, Record<string, unknown>>>;
}

/**
 * The MCP server or the command tools of an npm package. The version is fixed, its content must have
 * the hash of the registry, and no script of the package runs during the installation.
 */
export async function packageAddition(
  specifier: string,
  { name: given, ...where }: AdditionOptions,
): Promise<ToolAddition> {
  if (!SPECIFIER.test(specifier)) {
    throw new Error(
      `Cannot add ${quote(specifier, 200)}: it is no npm package, such as npm:NAME@1.0.0`,
    );
  }
  const found = await viewPackage(specifier);
  const own = found.name.replace(/^.*\//, "").replace(/[^A-Za-z0-9]+/g, "-").replace(/^-|-$/g, "");
  const name = given ?? own.slice(0, 48);
  if (!/^[A-Za-z0-9-]{1,48}$/.test(name)) {
    throw new UsageError(
      `Cannot use the name ${quote(name, 80)}; use 1 to 48 letters, digits and "-"`,
    );
  }
  const tools = Object.entries(found.commands);
  if (tools.length === 0) refuseTaken("mcpServers", name, where.place);
  for (const [tool] of tools) refuseTaken("commands", tool, where.place);
  const root = dirname(configFiles(where.place)[0] ?? `${where.place.root}/toolcall.json`);
  const directory = `${root}/toolcall/packages/${name}`;
  const path = `${directory}/node_modules/${found.name}/`;
  const values = tools.length === 0
    ? [{
      tokens: ["mcpServers", name],
      value: { command: "node", args: [path + programOf(found, undefined)] },
    }]
    : tools.map(([tool, entry]) => ({
      tokens: ["commands", tool],
      value: withProgram(entry, (program) => path + programOf(found, program)),
    }));
  return {
    lines: [
      `npm package ${quote(`${found.name}@${found.version}`)}, ${found.integrity}`,
      ...(tools.length === 0
        ? [
          `MCP server ${quote(name)}: ${JSON.stringify(values[0]!.value)}`,
          "It is a program. It runs outside of the sandbox, with your rights.",
          `Its tools need --allow-mcp=${name}`,
        ]
        : values.flatMap(({ tokens, value }) => describeCommandTool(tokens[1]!, value))),
      `Directory: ${quotePath(directory)}. Scripts of the package do not run now.`,
    ],
    async add() {
      await installPackage(found, directory);
      let file = "";
      for (const { tokens, value } of values) ({ file } = await edit(tokens, value, where));
      return [
        `Added ${values.map(({ tokens }) => quote(tokens[1]!)).join(", ")} to ${quotePath(file)}`,
        tools.length === 0
          ? `See its tools: toolcall list --allow-mcp=${name}`
          : `See what a call needs: toolcall check ${tools[0]![0]}`,
      ];
    },
  };
}

/** The entry of a command tool, which starts a program of the package with Node.js. */
function withProgram(
  entry: Record<string, unknown>,
  pathOf: (program: string) => string,
): Record<string, unknown> {
  const [program, ...args] = Array.isArray(entry["run"]) ? entry["run"] : [];
  return { ...entry, run: ["node", pathOf(String(program)), ...args] };
}

/** The path of a program in the package: the named one, or the only one. */
function programOf({ name, programs }: PackageVersion, wanted: string | undefined): string {
  const own = name.replace(/^.*\//, "");
  const names = Object.keys(programs);
  const found = wanted ?? (names.length === 1 ? names[0]! : own);
  const path = Object.hasOwn(programs, found) ? programs[found]!.replace(/^\.\//, "") : undefined;
  if (
    path !== undefined && /^[\w@.-]+(\/[\w@.-]+)*$/.test(path) && !/(^|\/)\.\.(\/|$)/.test(path)
  ) {
    return path;
  }
  const why = names.length === 0 ? "it has no program" : `its programs are ${names.join(", ")}`;
  const missing = wanted === undefined ? "" : ` named ${quote(wanted, 80)}`;
  throw new Error(`Cannot add the package ${quote(name)}: it has no one program${missing}; ${why}`);
}

async function viewPackage(specifier: string): Promise<PackageVersion> {
  const fields = ["name", "version", "bin", "dist.integrity", "toolcall"];
  const output = await npm(["view", "--json", "--", specifier, ...fields], specifier);
  const parsed: unknown = JSON.parse(output === "" ? "null" : output);
  // A range of versions gives a list, the newest last.
  const found = Array.isArray(parsed) ? parsed.at(-1) : parsed;
  if (!isObject(found)) throw new Error(`Cannot add ${quote(specifier, 200)}: no version fits`);
  const { name, version, bin, toolcall, "dist.integrity": integrity } = found;
  if (typeof name !== "string" || typeof version !== "string" || typeof integrity !== "string") {
    throw new Error(`Cannot add ${quote(specifier, 200)}: its registry gives no hash of it`);
  }
  const programs = typeof bin === "string" ? { [name.replace(/^.*\//, "")]: bin } : bin;
  const commands = isObject(toolcall) ? toolcall["commands"] : undefined;
  return {
    ...{ name, version, integrity },
    programs: textsOf(programs),
    commands: Object.fromEntries(
      Object.entries(isObject(commands) ? commands : {})
        .flatMap(([tool, entry]) => isObject(entry) ? [[tool, entry]] : []),
    ),
  };
}

function textsOf(value: unknown): Record<string, string> {
  return Object.fromEntries(
    Object.entries(isObject(value) ? value : {})
      .flatMap(([key, text]) => typeof text === "string" ? [[key, text]] : []),
  );
}

/** Installs a version, and removes it again if its hash is not that of the registry. */
async function installPackage(
  { name, version, integrity }: PackageVersion,
  directory: string,
): Promise<void> {
  Deno.mkdirSync(directory, { recursive: true });
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--save-exact", "--no-bin-links"];
  const specifier = `${name}@${version}`;
  await npm(["install", `--prefix=${directory}`, ...flags, "--", specifier], specifier);
  const lock = JSON.parse(Deno.readTextFileSync(`${directory}/package-lock.json`));
  if (lock.packages?.[`node_modules/${name}`]?.integrity === integrity) return;
  Deno.removeSync(directory, { recursive: true });
  throw new Error(
    `Cannot add ${quote(specifier, 200)}: its content does not have the announced hash`,
  );
}

async function npm(args: readonly string[], what: string): Promise<string> {
  let output: Deno.CommandOutput;
  try {
    output = await new Deno.Command("npm", {
      args: [...args],
      stdin: "null",
      signal: AbortSignal.timeout(NPM_MS),
    }).output();
  } catch (error) {
    const reason = (error as Error).message;
    throw new Error(`Cannot start npm: ${reason}; install Node.js, which has it`);
  }
  const [out, messages] = [output.stdout, output.stderr].map((bytes) =>
    new TextDecoder().decode(bytes)
  ) as [string, string];
  if (output.success) return out.trim();
  const [why = "npm failed"] = messages.split("\n")
    .filter((line) => line !== "" && !/^npm (error|ERR!) (code|A complete log)/.test(line));
  throw new Error(`Cannot add ${quote(what, 200)}: ${why.replace(/^npm (error|ERR!) */, "")}`);
}
