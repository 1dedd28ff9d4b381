/** A private directory with tools directories. */
import { temporaryDirectory, toolcall } from "../../../support/executable.ts";

/** A tool that says a text. */
export const tool = (name: string, says: string) =>
  `import { simpleTool } from "toolcall";
export default simpleTool("${name}", "Says who it is.", () => "${says}");
`;

/** A private directory, below which a test makes its tools directories. */
export function world() {
  const directory = temporaryDirectory();
  const { path } = directory;
  const make = (name: string, mode = 0o700) => {
    Deno.mkdirSync(`${path}/${name}`);
    Deno.chmodSync(`${path}/${name}`, mode);
    write(`${name}/who.ts`, tool("who", "I am good"));
    return `${path}/${name}`;
  };
  const write = (name: string, text: string, mode = 0o644) => {
    Deno.writeTextFileSync(`${path}/${name}`, text);
    Deno.chmodSync(`${path}/${name}`, mode);
  };
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await toolcall([...args, "--format=mcp"], {
      cwd: path,
      stdin: '{"name":"who"}',
    });
    return { code, text: stdout + stderr };
  };
  return { path, make, write, run, [Symbol.dispose]: () => directory[Symbol.dispose]() };
}
