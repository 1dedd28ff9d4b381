/** A /proc that is missing, or that belongs to another namespace. */
import { expect } from "@std/expect";
import { executable, oneLine, type Result, temporaryDirectory } from "../support/executable.ts";

const canMount = Deno.build.os === "linux" && Deno.uid() === 0;
// deno-lint-ignore no-console
if (!canMount) console.log("skipped: only root can unmount /proc");

const LOST = 'mount --make-rprivate /; umount -l /proc; exec "$@"';

/** Runs the executable as the first process in new namespaces, started by a script of the shell. */
async function within(namespaces: string[], script: string, args: string[]) {
  const { code, stdout, stderr } = await new Deno.Command("unshare", {
    args: [...namespaces, "sh", "-c", script, "sh", executable, ...args],
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

Deno.test({
  name: "proc > the sandbox reports a missing /proc in one line of JSON",
  ignore: !canMount,
  async fn(t) {
    using directory = temporaryDirectory();
    const { path } = directory;
    Deno.writeTextFileSync(`${path}/file`, "text");
    const both = [`--allow-read=${path}`, `--allow-write=${path}`];
    const calls: [name: string, args: Record<string, unknown>, flags: string[]][] = [
      ["fs.read", { path: "file" }, both.slice(0, 1)],
      ["fs.write", { path: "new", content: "x" }, both],
      ["fs.write", { path: "a/new", content: "x" }, both.slice(1)],
      ["Edit", { file_path: `${path}/file`, old_string: "text", new_string: "x" }, both],
      ["Grep", { pattern: "text" }, both.slice(0, 1)],
      ["Bash", { command: "true" }, ["--allow-run=bash"]],
    ];
    for (const [name, args, flags] of calls) {
      await t.step(`${name} under ${flags.length} flags`, async () => {
        const own = [...flags, `--root=${path}`, name, JSON.stringify(args)];
        const run = await within(["-m"], LOST, own);
        const { _meta, content } = oneLine(run) as Result;
        expect([run.code, _meta?.["toolcall/error"].code]).toEqual([8, "unavailable"]);
        expect(content[0]!.text).toContain("/proc is not mounted");
        expect([...Deno.readDirSync(path)].map((entry) => entry.name)).toEqual(["file"]);
        expect(Deno.readTextFileSync(`${path}/file`)).toBe("text");
      });
    }
    await t.step("doctor", async () => {
      const run = await within(["-m"], LOST, ["doctor", "--format=json"]);
      const { findings } = oneLine(run) as { findings: { name: string; detail: string }[] };
      expect(findings.find(({ name }) => name === "proc")?.detail).toContain("is not mounted");
    });
  },
});

Deno.test({
  name: "proc > process numbers of another namespace are not taken for processes of the call",
  ignore: !canMount,
  async fn() {
    for (const flags of ["-A", "--allow-run=bash,cat"]) {
      const run = await within(["--pid", "--fork", "--kill-child"], '"$@"', [
        ...[flags, "Bash", '{"command":"echo hi; cat </dev/null"}'],
      ]);
      expect([run.code, run.stdout]).toEqual([
        0,
        '{"content":[{"type":"text","text":"hi\\n"}],"isError":false}\n',
      ]);
    }
  },
});
