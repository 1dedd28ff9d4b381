/**
 * The answers of a process for one call and of a server, compared over a table of tools, paths and
 * flags. Both plan and restrict a call in different ways, and a caller must not notice.
 */
import { expect } from "@std/expect";
import { temporaryDirectory, toolcall } from "../../../support/executable.ts";
import { Peer } from "../../../support/mcp/peer.ts";

/** The directories that a table of calls uses, all in temporary directories. */
interface Places {
  /** The working directory, which flags open. */
  root: string;
  /** A directory that no flag but `-A` opens. */
  outside: string;
  /** A directory in the shared memory, which is in a file system of the kernel. */
  shared: string;
}

type Call = readonly [tool: string, args: Record<string, unknown>];

/** The fields of an answer that both ways must agree on. */
interface Compared {
  content: unknown;
  isError: unknown;
  error: unknown;
}

/** Makes the same files again, because calls change them. */
function makeFiles({ root, outside, shared }: Places): void {
  for (const directory of [root, outside, shared]) {
    for (const { name } of Deno.readDirSync(directory)) {
      Deno.removeSync(`${directory}/${name}`, { recursive: true });
    }
    Deno.writeTextFileSync(`${directory}/file.txt`, "needle\n");
  }
  Deno.mkdirSync(`${root}/sub`);
  Deno.mkdirSync(`${root}/written`);
  Deno.writeTextFileSync(`${root}/sub/part.ts`, "export const needle = 1;\n");
  Deno.mkdirSync(`${root}/denied`);
  Deno.writeTextFileSync(`${root}/denied/file.txt`, "needle\n");
  const links = {
    ...{ link: "file.txt", leaving: `${outside}/file.txt`, dangling: "nothing", loop: "loop" },
    ...{ memory: `${shared}/file.txt`, kernel: "/proc/sys/kernel/ostype" },
  };
  for (const [name, target] of Object.entries(links)) Deno.symlinkSync(target, `${root}/${name}`);
  // The runtime has no function for a name that is not UTF-8.
  const { success } = new Deno.Command("sh", {
    args: ["-c", 'mkdir "$1/odd" && : > "$1/odd/$(printf "a\\377.txt")"', "sh", root],
  }).outputSync();
  expect(success).toBe(true);
}

/** The calls of the table. Those that write come last, because a search sorts files by their age. */
function callsOf({ root, outside, shared }: Places): Call[] {
  const names = ["file.txt", "nothing.txt", "sub", "denied/file.txt"];
  const links = ["link", "leaving", "dangling", "loop", "memory", "kernel"];
  const paths = [
    ...[...names, ...links].map((name) => `${root}/${name}`),
    ...[`${outside}/file.txt`, `${shared}/file.txt`, "/dev/null"],
    // A symlink into /proc/self is missing here: its error names the number of the process.
    ...["/proc/self/comm", `/proc/self/root${root}/file.txt`, "/proc/nothing"],
  ];
  const written = [`${root}/written/new.txt`, `${root}/leaving`, `${shared}/new.txt`, "/dev/null"];
  const edited = [`${root}/link`, `${root}/memory`];
  return [
    ...paths.map((file_path): Call => ["Read", { file_path }]),
    ...[`${root}/odd`, outside, shared].map((path): Call => ["Glob", { pattern: "*", path }]),
    ...[`${root}/sub`, shared].map((path): Call => ["Grep", { pattern: "needle", path }]),
    ...["odd", "../outside", "leaving"].map((path): Call => ["fs.list", { path }]),
    ...["file.txt", "memory"].map((path): Call => ["fs.read", { path }]),
    ...written.map((file_path): Call => ["Write", { file_path, content: "new\n" }]),
    ...edited.map(
      (file_path): Call => ["Edit", { file_path, old_string: "needle", new_string: "pin" }],
    ),
    ["apply_patch", { patch: "*** Begin Patch\n*** Delete File: memory\n*** End Patch\n" }],
  ];
}

async function cold([tool, args]: Call, flags: string[], cwd: string): Promise<Compared> {
  const { stdout } = await toolcall([tool, JSON.stringify(args), ...flags], { cwd });
  const { content, isError, _meta } = JSON.parse(stdout);
  return { content, isError, error: _meta?.["toolcall/error"] };
}

/** The answers of a process for each call, in their order. Two processes run at a time. */
async function coldAnswers(calls: Call[], flags: string[], cwd: string): Promise<Compared[]> {
  const answers: Compared[] = [];
  const waiting = [...calls.entries()];
  const answerAll = async () => {
    for (let next; (next = waiting.shift()) !== undefined;) {
      answers[next[0]] = await cold(next[1], flags, cwd);
    }
  };
  await Promise.all([answerAll(), answerAll()]);
  return answers;
}

async function resident(peer: Peer, [tool, args]: Call): Promise<Compared> {
  const { result, error } = await peer.call(tool, args);
  if (result === undefined) throw new Error(JSON.stringify(error));
  const { content, isError, _meta } = result;
  return { content, isError, error: _meta?.["toolcall/error"] };
}

const flagSets: readonly ((places: Places) => string[])[] = [
  () => [],
  () => ["-A"],
  ({ root }) => ["-A", `--deny-read=${root}/denied`],
  () => ["--allow-read=.", "--allow-write=."],
  ({ root, outside, shared }) => [
    ...[`--allow-read=${root}/sub,${outside},${shared}`, `--allow-write=${root}/written,${shared}`],
    `--deny-read=${root}/denied`,
  ],
];

for (const flagsOf of flagSets) {
  const name = flagsOf({ root: "ROOT", outside: "OUTSIDE", shared: "SHARED" }).join(" ");
  Deno.test({
    name: `server > a call under ${name || "no flags"} has the answer that a process for it gives`,
    ignore: Deno.build.os !== "linux",
    async fn() {
      using above = temporaryDirectory();
      const shared = Deno.makeTempDirSync({ dir: "/dev/shm", prefix: "toolcall-test-" });
      using _ = { [Symbol.dispose]: () => Deno.removeSync(shared, { recursive: true }) };
      const places = { root: `${above.path}/root`, outside: `${above.path}/outside`, shared };
      Deno.mkdirSync(places.root);
      Deno.mkdirSync(places.outside);
      const [flags, calls] = [flagsOf(places), callsOf(places)];
      makeFiles(places);
      const wanted = await coldAnswers(calls, flags, places.root);
      makeFiles(places);
      await using peer = Peer.start(flags, { cwd: places.root });
      await peer.initialize();
      for (const [index, call] of calls.entries()) {
        const given = await resident(peer, call);
        expect({ call, ...given }).toEqual({ call, ...wanted[index]! });
      }
    },
  });
}
