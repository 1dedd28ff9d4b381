/** The program on a page that needs Python, and the pages whose commands take long. */
// tier: machine
import { expect } from "@std/expect";
import { modelServer } from "../support/model_server.ts";
import { has } from "../support/programs.ts";
import { blocks, SLOW_PAGES, testCommands, world } from "./pages.ts";

for (const page of SLOW_PAGES) testCommands(page);

Deno.test({
  name: "pages > the agent loop of docs/recipes.md calls a tool and prints the answer",
  ignore: !has("python3"),
  fn: async () => {
    const call = { name: "fs_read", arguments: '{"path":"README.md"}' };
    const message = {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "call_1", type: "function", function: call }],
    };
    const answer = (message: unknown) => () => Response.json({ choices: [{ message }] });
    await using server = modelServer(
      answer(message),
      ({ body }) =>
        answer({ role: "assistant", content: `It says: ${body.messages[2]?.content}` })(),
    );
    using here = world();
    const [loop] = blocks("docs/recipes.md", "python");
    Deno.writeTextFileSync(`${here.project}/loop.py`, loop!);
    const { code, stdout, stderr } = await here.run(["python3", "loop.py"], {
      MODEL: "served",
      API_URL: server.endpoint,
    });
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("The licence is MIT");
    expect(server.asked[0]?.body.tools?.length).toBeGreaterThan(3);
  },
});

Deno.test({
  name: "pages > the git hook of docs/recipes.md refuses a commit with a broken link",
  ignore: !has("git"),
  fn: async () => {
    using here = world();
    const hook = blocks("docs/recipes.md", "sh").find((each) => each.startsWith("#!/bin/sh"));
    expect(hook).toContain("static_links");
    const git = async (...args: string[]) =>
      (await here.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", ...args])).code;
    await git("init", "--quiet", "repository");
    const repository = `${here.project}/repository`;
    const path = `${repository}/.git/hooks/pre-commit`;
    Deno.writeTextFileSync(path, hook!);
    Deno.chmodSync(path, 0o755);
    for (const [text, code] of [["[gone](gone.md)\n", 1], ["[here](a.md)\n", 0]] as const) {
      Deno.writeTextFileSync(`${repository}/a.md`, text);
      await git("-C", "repository", "add", "a.md");
      expect([text, await git("-C", "repository", "commit", "-m", "a")]).toEqual([text, code]);
    }
  },
});
