import { expect } from "@std/expect";
import { rgPath } from "@vscode/ripgrep";
import { MAX_LINE_LENGTH } from "../../../../src/toolkit/search/result_line.ts";
import Grep from "../../../../tools/grep.ts";
import { contextFor } from "../../../support/tool_context.ts";
import { makeSearchTree } from "./search_tree.ts";

type Input = Record<string, unknown>;

/** Calls Grep as the engine would, with the defaults of its schema. */
async function grep(root: string, input: Input): Promise<string> {
  const args = {
    pattern: "",
    output_mode: "files_with_matches" as const,
    "-n": true,
    "-i": false,
    "-o": false,
    multiline: false,
    head_limit: 250,
    offset: 0,
    ...input,
  };
  return String(await Grep.run(args, contextFor(root)));
}

/** The arguments that the published Grep passes to ripgrep in every call. */
const PUBLISHED = [".git", ".svn", ".hg", ".bzr", ".jj", ".sl"].reduce(
  (args, name) => [...args, "--glob", `!${name}`],
  ["--hidden"],
);

const DIRECT: [Input, string[]][] = [
  [{ pattern: "TODO" }, ["-l", "TODO"]],
  [{ pattern: "TODO", output_mode: "count" }, ["-c", "TODO"]],
  [{ pattern: "foo", output_mode: "content" }, ["-n", "foo"]],
  [{ pattern: "foo", output_mode: "content", "-n": false }, ["-N", "foo"]],
  [{ pattern: "todo", output_mode: "content", "-i": true, "-C": 2 }, ["-n", "-i", "-C2", "todo"]],
  [{ pattern: "foo", output_mode: "content", "-A": 1, "-B": 3 }, ["-n", "-A1", "-B3", "foo"]],
  [{ pattern: "foo\\(\\n", output_mode: "content", multiline: true }, ["-n", "-U", "foo\\(\\n"]],
  [{ pattern: "fn.*?TODO", output_mode: "content", multiline: true }, [
    ...["-n", "-U", "--multiline-dotall", "fn.*?TODO"],
  ]],
  [{ pattern: "foo.", output_mode: "content", "-o": true }, ["-n", "-o", "foo."]],
  [{ pattern: "foo", output_mode: "content", "-o": true, context: 1, "-A": 9, "-C": 7 }, [
    ...["-n", "-o", "-C1", "foo"],
  ]],
  [{ pattern: "foo", output_mode: "content", "-A": 9, "-B": 8, "-C": 2 }, ["-n", "-C2", "foo"]],
  [{ pattern: "TODO", glob: "*.ts,*.c *.{md,rs}" }, [
    ...["-l", "-g", "*.ts", "-g", "*.c", "-g", "*.{md,rs}", "TODO"],
  ]],
  [{ pattern: "TODO", glob: "sub/**" }, ["-l", "-g", "sub/**", "TODO"]],
  [{ pattern: "TODO", glob: "!*.ts" }, ["-l", "-g", "!*.ts", "TODO"]],
  [{ pattern: "TODO", type: "ts" }, ["-l", "-t", "ts", "TODO"]],
  [{ pattern: "TODO", path: "sub" }, ["-l", "TODO", "sub"]],
];

Deno.test("grep > the result has the lines that ripgrep prints", async (t) => {
  const root = makeSearchTree();
  for (const [input, args] of DIRECT) {
    await t.step(args.join(" "), async () => {
      const direct = await new Deno.Command(rgPath, {
        args: [
          "--no-config",
          "--no-ignore-global",
          "--no-mmap",
          "--sort=path",
          ...PUBLISHED,
          ...args,
        ],
        cwd: root,
        stdin: "null",
      }).output();
      const text = new TextDecoder().decode(direct.stdout).replace(/\n$/, "");
      const wanted = text.split("\n").filter((line) => line.length < MAX_LINE_LENGTH);
      const got = (await grep(root, { head_limit: 0, ...input })).split("\n\n[")[0]!;
      const lines = got.split("\n").filter((line) => !line.includes("[… cut:"));
      // Grep sorts the names of files by their times.
      const isSorted = !args.includes("-l");
      expect(isSorted ? lines : lines.toSorted()).toEqual(isSorted ? wanted : wanted.toSorted());
    });
  }
  Deno.removeSync(root, { recursive: true });
});

Deno.test("parity > the table of file types is the same as that of ripgrep", async () => {
  const { default: fileTypes } = await import("../../../../src/toolkit/search/file_types.json", {
    with: { type: "json" },
  });
  const { stdout } = await new Deno.Command(rgPath, { args: ["--no-config", "--type-list"] })
    .output();
  const listed = new TextDecoder().decode(stdout).trimEnd().split("\n");
  expect(
    Object.entries(fileTypes).map(([name, globs]) => `${name}: ${globs.replaceAll(" ", ", ")}`),
  )
    .toEqual(listed);
});
