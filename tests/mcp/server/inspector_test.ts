// tier: machine
import { expect } from "@std/expect";
import { executable, type Result, temporaryDirectory, toolcall } from "../../support/executable.ts";
import { inspector, isMissing } from "../../support/packages.ts";

const ignore = await isMissing("inspector");

/** Asks a question with the Inspector, which starts the executable as a server that may read `directory`. */
async function inspect(
  directory: string,
  question: string[],
): Promise<{ code: number; stdout: string; stderr: string }> {
  const { command, args, env } = inspector(
    ...[
      executable,
      "mcp",
      "--all-tools",
      `--allow-read=${directory}`,
      `--state-dir=${directory}/state`,
      ...question,
    ],
  );
  const run = await new Deno.Command(command, { args, env, cwd: directory, stdin: "null" })
    .output();
  const decoder = new TextDecoder();
  return { ...run, stdout: decoder.decode(run.stdout), stderr: decoder.decode(run.stderr) };
}

Deno.test({
  name: "mcp server > the Inspector lists every tool and finds no error in a schema",
  ignore,
  fn: async () => {
    using directory = temporaryDirectory();
    const run = await inspect(directory.path, ["--method", "tools/list", "--strict"]);
    expect(run).toMatchObject({ code: 0, stderr: "" });
    const { stdout } = await toolcall(["list", "--format=mcp"]);
    expect(JSON.parse(run.stdout).tools).toEqual(JSON.parse(stdout).tools);
  },
});

Deno.test({
  name: "mcp server > the Inspector can make a call that the flags allow, and no other call",
  ignore,
  fn: async () => {
    using directory = temporaryDirectory();
    using other = temporaryDirectory();
    const rows: [path: string, code: number, says: string][] = [
      [`${directory.path}/a.txt`, 0, "inside"],
      [`${other.path}/a.txt`, 5, `--allow-read=${other.path}/a.txt`],
    ];
    Deno.writeTextFileSync(`${directory.path}/a.txt`, "inside\n");
    Deno.writeTextFileSync(`${other.path}/a.txt`, "outside\n");
    for (const [path, code, says] of rows) {
      const run = await inspect(directory.path, [
        ...["--method", "tools/call", "--tool-name", "Read", "--tool-arg", `file_path=${path}`],
      ]);
      const result = JSON.parse(run.stdout) as Result;
      expect({ code: run.code, isError: result.isError }).toEqual({ code, isError: code !== 0 });
      expect(result.content[0]?.text).toContain(says);
    }
  },
});
