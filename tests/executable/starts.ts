/** How the executable is started in an odd state of the machine, and what it then prints. */
import { expect } from "@std/expect";
import { FALLBACK_PARENT } from "../../src/runner/sandbox/policy/own_paths.ts";
import { oneLine, type Result, temporaryDirectory } from "../support/executable.ts";
import type { Ended } from "../support/stand_in.ts";

export const isLinux = Deno.build.os === "linux";

export const ENV = { PATH: "/usr/bin:/bin:/usr/sbin:/sbin", TOOLCALL_CACHE_DIR: usualCache() };

/** The cache of the other tests, so that nothing is unpacked here. */
function usualCache(): string {
  const [chosen, cache, home] = ["TOOLCALL_CACHE_DIR", "XDG_CACHE_HOME", "HOME"].map((name) =>
    Deno.env.get(name)
  );
  if (chosen) return chosen;
  if (cache?.startsWith("/")) return `${cache}/toolcall`;
  if (home?.startsWith("/")) return `${home}/.cache/toolcall`;
  return `${FALLBACK_PARENT}/toolcall-${Deno.uid()}`;
}

/** A call that reads a file of its working directory. */
export const READ = ["--allow-read=.", "fs.read", '{"path":"hello.txt"}'];

/** A directory with that file. */
export function setUp() {
  const directory = temporaryDirectory();
  Deno.writeTextFileSync(`${directory.path}/hello.txt`, "hello\n");
  return directory;
}

export function resultOf({ text: stdout, ...ended }: Ended): Result & { text: string } {
  const result = oneLine({ ...ended, stdout }) as Result;
  return { ...result, text: result.content[0]?.text ?? "" };
}

/** Checks that the call was answered, and that nothing else was printed. */
export function expectRead(ended: Ended) {
  expect({ code: ended.code, stderr: ended.stderr }).toEqual({ code: 0, stderr: "" });
  expect(resultOf(ended).text).toBe("hello\n");
}

/** Checks that the call failed as `unavailable`, for this reason. */
export function expectUnavailable(ended: Ended, reason: string) {
  const { isError, text, _meta } = resultOf(ended);
  expect({ code: ended.code, isError, _meta }).toEqual({
    code: 8,
    isError: true,
    _meta: { "toolcall/error": { code: "unavailable" } },
  });
  expect(text).toContain(reason);
}
