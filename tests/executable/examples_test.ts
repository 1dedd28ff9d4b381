/** The loops of `examples/`, with the official SDKs, against a server that checks their requests. */
// tier: machine
import { expect } from "@std/expect";
import { fileURLToPath } from "node:url";
import { executable, temporaryDirectory } from "../support/executable.ts";
import { scriptedApis } from "../support/scripted_apis.ts";

const examples = fileURLToPath(new URL("../../examples", import.meta.url));

/** The loops, with the number of their lines that mention toolcall. */
const LOOPS: readonly [file: string, glue: number][] = [
  ["openai_chat", 2],
  ["openai_responses", 2],
  ["anthropic", 2],
  ["gemini", 2],
  ["ollama", 2],
  ["ai_sdk", 2],
  ["langchain", 2],
  ["openai_agents", 1],
];

/** Installs the packages of the examples. Returns the reason if that is not possible. */
async function install(directory: string): Promise<string | undefined> {
  try {
    const { success, stderr } = await new Deno.Command("npm", {
      args: ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock"],
      cwd: directory,
      stdin: "null",
      stdout: "null",
    }).output();
    if (success) return undefined;
    return new TextDecoder().decode(stderr).trim().split("\n").at(-1);
  } catch (error) {
    return (error as Error).message;
  }
}

Deno.test("examples > each loop runs with its SDK, and the API accepts each request", async (t) => {
  using directory = temporaryDirectory();
  const { path } = directory;
  for (const { name } of Deno.readDirSync(examples)) {
    Deno.copyFileSync(`${examples}/${name}`, `${path}/${name}`);
  }
  const missing = await install(path);
  if (missing !== undefined) {
    // deno-lint-ignore no-console -- The reason why a test is skipped has to be seen.
    return console.log(`skipped: the examples, because npm cannot install their SDKs: ${missing}`);
  }
  Deno.symlinkSync(executable, `${path}/toolcall`);
  Deno.writeTextFileSync(`${path}/notes.txt`, "the content of the notes\n");
  await using apis = scriptedApis({ name: "Read", args: { file_path: `${path}/notes.txt` } });
  const env = {
    MODEL: "model-1",
    PATH: `${path}:${Deno.env.get("PATH")}`,
    OPENAI_API_KEY: "key",
    OPENAI_BASE_URL: `${apis.origin}/v1`,
    OPENAI_AGENTS_DISABLE_TRACING: "1",
    ANTHROPIC_API_KEY: "key",
    ANTHROPIC_BASE_URL: apis.origin,
    GEMINI_API_KEY: "key",
    GOOGLE_GEMINI_BASE_URL: apis.origin,
    OLLAMA_HOST: apis.origin,
  };
  for (const [file] of LOOPS) {
    await t.step(file, async () => {
      const { stdout, stderr } = await new Deno.Command("node", {
        args: [`${file}.mjs`, "What do my notes say?"],
        ...{ cwd: path, env },
      }).output();
      const text = new TextDecoder().decode(stdout);
      const isAnswered = /^It says: .*the content of the notes/s.test(text);
      const why = isAnswered ? "" : text + new TextDecoder().decode(stderr);
      const refusals = apis.refusals.splice(0);
      expect({ why, refusals, isAnswered }).toEqual({ why: "", refusals: [], isAnswered: true });
    });
  }
});

Deno.test("examples > a loop has at most two lines that mention toolcall", () => {
  const found = LOOPS.map(([file]): [string, number] => {
    const text = Deno.readTextFileSync(`${examples}/${file}.mjs`);
    const lines = text.split("\n").filter((line) =>
      /toolcall/.test(line) && !/^(import|\/\/)/.test(line)
    );
    return [file, lines.length];
  });
  expect(found).toEqual(LOOPS);
  const files = [...Deno.readDirSync(examples)].map(({ name }) => name);
  expect(files.toSorted()).toEqual(
    [...LOOPS.map(([file]) => `${file}.mjs`), "package.json", "toolcall.mjs"].toSorted(),
  );
});
