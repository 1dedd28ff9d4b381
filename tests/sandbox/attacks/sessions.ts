/** Attacks on the shell of a session by another user, and by calls with other flags. */
import { expect } from "@std/expect";
import {
  attackFlags,
  bash,
  bashEach,
  callAs,
  endShells,
  keptBy,
  makeWorld,
  ofOneCall,
  quoted,
  SECRET,
  Tally,
  testAs,
  type World,
} from "./world.ts";

const session = "own";

/** Runs a command in the shell of a session of the user. */
async function own(world: World, command: string, flags: string[]): Promise<string> {
  const call = { name: "Bash", arguments: { command, session } };
  return (await callAs(world, call, { flags })).text;
}

/** The record of the keeper of the only shell. */
function recordOf(world: World): { path: string; pid: number; socket: string } {
  const directory = keptBy(world);
  const [name, ...others] = [...Deno.readDirSync(directory)].map(({ name }) => name)
    .filter((name) => name.endsWith(".json"));
  expect(others).toEqual([]);
  const path = `${directory}/${name}`;
  const { pid, socket } = JSON.parse(Deno.readTextFileSync(path));
  return { path, pid, socket: `${directory}/${socket}` };
}

testAs(
  "sessions > no other user and no call with other flags reaches the shell of a session",
  async (t, user) => {
    const world = makeWorld(user);
    const flags = [`--allow-read=${world.G}`, `--allow-write=${world.G}`, "--allow-run=bash"];
    const tally = new Tally();
    let tried = 0;
    try {
      expect(await own(world, `x=${quoted(SECRET)}; echo $$`, flags)).toMatch(/^\d+\n$/);
      const { path, pid, socket } = recordOf(world);
      // Bash prints its number in the namespace of the sandbox, so the numbers come from the kernel.
      const pids = [pid, ...childrenOf(pid)].filter((each) => each > 0);
      const connect =
        `try { await Deno.connect({ transport: "unix", path: ${JSON.stringify(socket)} }); ` +
        `console.log("reached") } catch (error) { console.log("refused", error.name) }`;
      Deno.writeTextFileSync(`${world.G}/connect.js`, connect);
      const { deno } = world.installation;
      const start = `DENO_DIR=$TMPDIR/deno ${deno} run -A --quiet --no-config ` +
        `${world.G}/connect.js`;
      const attacks = [
        `cat ${path} && echo reached`,
        `: >>${path} && echo reached`,
        `: >${keptBy(world)}/new && echo reached`,
        start,
        ...pids.flatMap((each) => [
          `kill -0 ${each} && echo reached`,
          `head -c1 /proc/${each}/environ && echo reached`,
          `head -c1 /proc/${each}/fd/0 && echo reached`,
        ]),
      ];
      const note = (who: string, outputs: string[]) => {
        for (const [at, text] of outputs.entries()) {
          tally.note(`${who}: ${attacks[at]}`, !text.includes("reached"), text);
          tried++;
        }
      };
      const wide = ["--allow-read", "--allow-write", `--allow-run=bash,cat,head,${deno}`];
      note("other flags", await bashEach(world, attacks, { flags: [...wide, "--allow-net"] }));
      for (const more of [["--allow-env"], ["--limit=files=200"], attackFlags(world).slice(2)]) {
        const text = await own(world, "echo ${x-none}", [...flags, ...more]);
        tally.note(`a shell of ${more}`, text === "none\n", text);
        tried++;
      }
      // Only root can act as another user.
      if (user.uid !== undefined) {
        const other = makeWorld({ ...user, uid: user.uid + 1 });
        Deno.chmodSync(world.root, 0o755);
        Deno.chmodSync(world.G, 0o755);
        note("another user", await bashEach(other, attacks, { flags: ["-A"] }));
        const state = `--state-dir=${world.root}/.local/state/toolcall`;
        const call = { name: "Bash", arguments: { command: "echo ${x-none}", session } };
        const shared = await callAs(other, call, { flags: [...flags, state], cwd: world.G });
        tally.note("another user: its state directory", shared.exit === 8, shared.text);
        const apart = await callAs(other, call, { flags, cwd: world.G });
        tally.note("another user: its flags", apart.text === "none\n", apart.text);
        tried += 2;
        await endShells(other);
      }
      expect(await own(world, "echo $x", flags)).toBe(`${SECRET}\n`);
      await tally.report(t, tried);
      await t.step(
        "an unconfined program of the same user reads the record of the keeper",
        async () => {
          const { text } = await bash(world, attacks[0]!, { flags: ["-A"] });
          expect(text).toContain("reached");
        },
      );
    } finally {
      await endShells(world);
    }
  },
  ofOneCall,
);

/** The processes that a process has started. */
function childrenOf(pid: number): number[] {
  return Deno.readTextFileSync(`/proc/${pid}/task/${pid}/children`).trim().split(" ").map(Number);
}
