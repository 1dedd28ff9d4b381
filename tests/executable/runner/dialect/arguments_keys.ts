/** Calls whose arguments have one key or another, in each form. */
import { expect } from "@std/expect";
import { oneLine, temporaryDirectory, toolcall } from "../../../support/executable.ts";

/** The name of the tool. */
export const NAME = "fs_list";
/** Its arguments. */
export const ARGS = { path: "sub" };
/** Its arguments, as text. */
export const TEXT = JSON.stringify(ARGS);

/** A call of `fs_list`, which has no required argument, in each form. */
export const forms: Record<string, (given: Record<string, unknown>) => unknown> = {
  "a call by itself": (given) => ({ name: NAME, ...given }),
  "a call with a type": (given) => ({ type: "tool_call", id: "1", name: NAME, ...given }),
  "JSON-RPC": (given) => ({
    ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
    params: { name: NAME, ...given },
  }),
  "a JSON-RPC request": (given) => ({
    ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
    params: { name: NAME },
    ...given,
  }),
  "a tool_use": (given) => ({ type: "tool_use", id: "1", name: NAME, ...given }),
  "a message of Anthropic's": (given) => ({
    role: "assistant",
    content: [{ type: "text", text: "I look." }, {
      type: "tool_use",
      id: "1",
      name: NAME,
      ...given,
    }],
  }),
  "a function": (given) => ({ id: "1", type: "function", function: { name: NAME, ...given } }),
  "a tool call": (given) => ({ id: "1", type: "function", function: { name: NAME }, ...given }),
  "a message of OpenAI's": (given) => ({
    role: "assistant",
    content: null,
    tool_calls: [{ id: "1", type: "function", function: { name: NAME, ...given } }],
  }),
  "a function_call": (given) => ({
    ...{ type: "function_call", call_id: "1", id: "2", status: "completed", name: NAME },
    ...given,
  }),
  "a response": (given) => ({
    object: "response",
    output: [{ type: "function_call", call_id: "1", name: NAME, ...given }],
  }),
};

/** A key with its value, and the forms that accept it. All other forms refuse the key by its name. */
export type Row = [given: Record<string, unknown>, acceptedBy: string[]];

/** The keys that are common, and a misspelled one. */
export const commonRows: Row[] = [
  [{ arguments: ARGS }, [
    ...["a call by itself", "a call with a type", "JSON-RPC", "a function"],
    ...["a message of OpenAI's", "a function_call", "a response"],
  ]],
  [{ arguments: TEXT }, [
    ...["a call by itself", "a call with a type", "a function"],
    ...["a message of OpenAI's", "a function_call", "a response"],
  ]],
  [{ args: ARGS }, ["a call by itself", "a call with a type"]],
  [{ input: ARGS }, ["a call by itself", "a tool_use", "a message of Anthropic's"]],
  [{ arguements: ARGS }, []],
];

/** Other keys. */
export const otherRows: Row[] = [
  [{ parameters: ARGS }, ["a call by itself"]],
  [{ params: ARGS }, []],
  [{ tool_input: ARGS }, []],
  [{ Arguments: ARGS }, []],
  [{ __proto__x: ARGS }, []],
  [{ parsed_arguments: ARGS }, []],
];

/** A directory with a file, and a file in a directory below it. */
export function sceneOf(): { path: string } & Disposable {
  const directory = temporaryDirectory();
  Deno.writeTextFileSync(`${directory.path}/top.txt`, "");
  Deno.mkdirSync(`${directory.path}/sub`);
  Deno.writeTextFileSync(`${directory.path}/sub/below.txt`, "");
  return directory;
}

/** Tests that each form accepts the key or refuses it by its name. */
export function testKey([given, acceptedBy]: Row): void {
  const [[key, value]] = Object.entries(given) as [[string, unknown]];
  const named = `${key} (${typeof value === "string" ? "a string" : "an object"})`;
  Deno.test(`arguments > the key ${named} is accepted, or refused by its name`, async (t) => {
    using scene = sceneOf();
    for (const [form, build] of Object.entries(forms)) {
      // This form has the key itself.
      if (form === "a JSON-RPC request" && key === "params") continue;
      const stdin = JSON.stringify(build(given));
      await t.step(form, async () => {
        const run = await toolcall(["--allow-read=."], { stdin, cwd: scene.path });
        const check = await toolcall(["check", "--allow-read=."], { stdin, cwd: scene.path });
        oneLine(run);
        expect(run.stdout).not.toContain("top.txt");
        expect(check.stdout).not.toContain('"path":"."');
        if (acceptedBy.includes(form)) {
          expect(run.stdout).toContain("below.txt");
          expect(check.stdout).toContain('"path":"sub"');
          expect([run.code, check.code]).toEqual([0, 0]);
        } else {
          expect([run.code, check.code]).toEqual([3, 3]);
          expect(run.stdout).toContain("malformed_call");
          expect(run.stdout).toContain(JSON.stringify(JSON.stringify(key)).slice(1, -1));
        }
      });
    }
  });
}
