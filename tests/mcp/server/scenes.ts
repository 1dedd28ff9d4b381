/** Directories for calls of a server, with files that the calls may read and files that they may not. */
import { temporaryDirectory } from "../../support/executable.ts";
import type { Peer } from "../../support/mcp/peer.ts";

/** A directory with files that calls may read, and a file outside of it that they must not read. */
export function scene() {
  const directory = temporaryDirectory();
  const inside = `${directory.path}/inside`;
  Deno.mkdirSync(`${inside}/deep`, { recursive: true });
  Deno.writeTextFileSync(`${inside}/file.txt`, "what is inside\n");
  Deno.writeTextFileSync(`${inside}/deep/file.txt`, "what is deep inside\n");
  Deno.writeTextFileSync(`${directory.path}/secret.txt`, "SECRET\n");
  const flags = [`--allow-read=${inside}`, `--state-dir=${directory.path}/state`];
  return {
    path: directory.path,
    inside,
    flags,
    [Symbol.dispose]: () => directory[Symbol.dispose](),
  };
}

/** A directory with a file that calls may read, and a file that a flag denies. */
export function sceneWithDenied() {
  const directory = temporaryDirectory();
  Deno.mkdirSync(`${directory.path}/inside`);
  const path = `${Deno.realPathSync(directory.path)}/inside`;
  Deno.writeTextFileSync(`${path}/file.txt`, "what is inside\n");
  Deno.writeTextFileSync(`${path}/denied.txt`, "SECRET\n");
  const flags = [
    ...[`--allow-read=${path}`, `--deny-read=${path}/denied.txt`],
    `--state-dir=${directory.path}/state`,
  ];
  return { path, flags, [Symbol.dispose]: () => directory[Symbol.dispose]() };
}

/** Sends `count` reads of a file before the first answer, and returns the text of each answer. */
export async function readAtOnce(peer: Peer, path: string, count: number): Promise<string[]> {
  const answers = await Promise.all(
    Array.from({ length: count }, () => peer.call("Read", { file_path: path })),
  );
  return answers.map(({ result }) => result.content[0].text);
}
