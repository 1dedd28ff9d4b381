/** An operand that begins with a bracket is a call in JSON, as on stdin. */
import { expect } from "@std/expect";
import { temporaryDirectory, toolcall } from "../../../support/executable.ts";
import { idDialects } from "./call_ids.ts";

for (const { name, write } of idDialects) {
  Deno.test(`call operand > ${name}: the operand is read as stdin is`, async () => {
    using directory = temporaryDirectory();
    const text = write([{ id: '"fs.list"', args: '{"path":"."}' }]);
    const options = { cwd: directory.path };
    for (const flags of [["-A"], ["-A", "--format=same"]]) {
      const piped = await toolcall(flags, { ...options, stdin: text });
      expect(piped.code).toBe(0);
      for (const words of [[], ["call"]]) {
        expect(await toolcall([...words, ...flags, text], options)).toEqual(piped);
        expect(await toolcall([...words, ...flags, ` \n${text}`], options)).toEqual(piped);
      }
    }
    const checked = await toolcall(["check", "-A"], { ...options, stdin: text });
    expect(checked.code).toBe(0);
    expect(await toolcall(["check", "-A", text], options)).toEqual(checked);
  });
}

Deno.test("call operand > a fault of the call has the exit code that it has on stdin", async () => {
  const rows: [operand: string, exit: number][] = [
    ["{", 3],
    ["[]", 3],
    ['{"name":"Nothing"}', 4],
    ['{"name":"fs.read"}', 5],
    ['{"name":"fs.list","arguments":{}}', 6],
  ];
  for (const [operand, exit] of rows) {
    for (const words of [[], ["call"], ["check"]]) {
      const { code, stdout } = await toolcall([...words, operand]);
      expect({ words, operand, code }).toEqual({ words, operand, code: exit });
      expect(stdout).not.toContain('Unknown tool \\"{');
    }
  }
  expect((await toolcall(["{}", "more"])).code).toBe(2);
});

const HINTS: [call: string, says: string][] = [
  [
    '{"tool_calls":[{"id":"a","type":"function","function":{"name":"a"}}]}',
    '\\"role\\":\\"assistant\\"',
  ],
  ['{"toolCalls":[]}', '\\"role\\":\\"assistant\\"'],
  ['{"tool":"fs.list","arguments":{}}', 'did you mean \\"name\\"?'],
  ['{"tool_name":"fs.list","args":{}}', 'did you mean \\"name\\"?'],
  ['{"name":"fs.list","tool":{}}', 'arguments belong under \\"arguments\\"'],
];

Deno.test("call operand > a hint names the key that is missing", async () => {
  for (const [call, says] of HINTS) {
    const { code, stdout } = await toolcall([call]);
    expect({ call, code, says: stdout.includes(says) }).toEqual({ call, code: 3, says: true });
  }
});
