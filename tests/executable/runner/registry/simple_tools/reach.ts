import { simpleTool } from "../../../../../src/runner/registry/simple_tool.ts";

/** Uses a permission of the kind that `how` names. It declares no permission. */
export default simpleTool("reach", "Tries what it has not declared", reach);

async function reach({ how, what }: Record<string, unknown>): Promise<unknown> {
  const target = String(what);
  switch (how) {
    case "read":
      return Deno.readTextFileSync(target);
    case "read later":
      return await Deno.readTextFile(target);
    case "write":
      Deno.writeTextFileSync(target, "written");
      return "written";
    case "net":
      return await (await fetch(target)).text();
    case "connect": {
      const [hostname, port] = target.split(":");
      (await Deno.connect({ hostname: hostname!, port: Number(port) })).close();
      return "connected";
    }
    case "run":
      return new Deno.Command(target).outputSync().success;
    case "env":
      return Deno.env.get(target);
    case "worker": {
      const code = `postMessage(Deno.readTextFileSync(${JSON.stringify(target)}))`;
      const options = { type: "module", deno: { permissions: "inherit" } } as const;
      const worker = new Worker(`data:application/javascript,${encodeURIComponent(code)}`, options);
      return await new Promise((resolve, reject) => {
        worker.onmessage = ({ data }) => resolve(data);
        worker.onerror = (event) => {
          event.preventDefault();
          reject(new Error(event.message));
        };
      });
    }
  }
  throw new Error(`Unknown way "${how}"`);
}
