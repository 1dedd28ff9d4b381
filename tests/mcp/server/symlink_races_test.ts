/** Reads of a server through a name that changes all the time. */
// tier: machine
import { expect } from "@std/expect";
import { raceTime } from "../../support/attempts.ts";
import { Peer } from "../../support/mcp/peer.ts";
import { readAtOnce, scene, sceneWithDenied } from "./scenes.ts";

Deno.test("mcp server > many reads through a changing symlink never leave the read grant", async () => {
  using it = scene();
  const [link, own] = [`${it.inside}/swapped`, `${it.inside}/own`];
  Deno.mkdirSync(own);
  Deno.writeTextFileSync(`${own}/secret.txt`, "own\n");
  // The name `swapped` is in turn a symlink to the directory outside, and to the directory `own`.
  const swapper = new Deno.Command("bash", {
    args: [
      "-c",
      `cd ${it.inside} && ln -s .. out && ln -s own in
       while [ -e own ]; do ln -sfn .. t1 && mv -T t1 swapped; ln -sfn own t2 && mv -T t2 swapped; done`,
    ],
    stdout: "null",
    stderr: "null",
  }).spawn();
  await using peer = Peer.start(it.flags, { cwd: it.inside });
  await peer.initialize();
  const counts = { tried: 0, read: 0, leaked: 0 };
  const continues = raceTime(30_000, () => counts.tried > 100 && counts.read > 0);
  while (continues()) {
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => peer.call("Read", { file_path: `${link}/secret.txt` })),
    );
    for (const { result } of answers) {
      counts.tried++;
      if (result.content[0].text.includes("own")) counts.read++;
      if (result.content[0].text.includes("SECRET")) counts.leaked++;
    }
  }
  Deno.removeSync(own, { recursive: true });
  await swapper.status;
  expect({ ...counts, tried: counts.tried > 100, read: counts.read > 0 })
    .toEqual({ tried: true, read: true, leaked: 0 });
});

Deno.test({
  name:
    "quick calls > a file that becomes a symlink to a denied file or a pipe reveals and blocks nothing",
  ignore: Deno.build.os !== "linux",
  async fn() {
    using it = sceneWithDenied();
    const own = `${it.path}/own`;
    Deno.mkdirSync(own);
    // The name `swapped` is in turn the file, a symlink to the denied file, and a pipe.
    const swapper = new Deno.Command("bash", {
      args: [
        "-c",
        `cd "$1" && while [ -e own ]; do
           echo own > t1 && mv -T t1 swapped; ln -sfn denied.txt t2 && mv -T t2 swapped
           mkfifo t3 && mv -T t3 swapped
         done`,
        ...["bash", it.path],
      ],
      stderr: "null",
    }).spawn();
    await using peer = Peer.start(it.flags, { cwd: it.path });
    await peer.initialize();
    const counts = { tried: 0, read: 0, leaked: 0 };
    const continues = raceTime(20_000, () => counts.tried >= 1_000 && counts.read > 0);
    while (continues()) {
      for (const text of await readAtOnce(peer, `${it.path}/swapped`, 50)) {
        counts.tried++;
        if (text.includes("own")) counts.read++;
        if (text.includes("SECRET")) counts.leaked++;
      }
    }
    Deno.removeSync(own);
    await swapper.status;
    expect(counts.tried).toBeGreaterThan(100);
    expect(counts.leaked).toBe(0);
  },
});
