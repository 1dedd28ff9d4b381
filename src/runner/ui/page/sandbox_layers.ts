/// <reference lib="dom" />
/** The layers of the sandbox in plain words. */
import type { Report } from "./page_types.ts";

/** Describes in plain words which access each layer of the sandbox allows. */
export function layersOf(
  given: Report | undefined,
): [layer: string, text: string, values: string[]][] {
  const { sandbox, plan } = given ?? {};
  if (!sandbox) return [];
  const list = (value: unknown) =>
    Array.isArray(value) ? value.map(String) : value === true ? ["everything"] : [];
  const { runtime, kernel } = sandbox;
  const found: [string, string, string[]][] = [[
    "Executor",
    ({
      in_process: "The call runs inside the server.",
      network_worker: "The call runs in a thread that reaches only its hosts.",
      programs: "The call starts programs inside a sandbox of the kernel.",
    } as Record<string, string>)[plan!] ??
      "The call runs in its own sandboxed thread or process.",
    [],
  ]];
  if (runtime === "open") found.push(["Runtime", "The runtime restricts nothing.", []]);
  else if (typeof runtime === "string") found.push(["Runtime", `The thread ${runtime}.`, []]);
  else {
    for (
      const [kind, word] of [["read", "The thread may read"], ["write", "The thread may write"], [
        "net",
        "The thread may connect to",
      ], ["env", "The thread may use the variables"]] as const
    ) {
      const values = list(runtime[kind]);
      const text = values.length === 0
        ? `${word.replace("the variables", "no variable")}${kind === "env" ? "" : " nothing"}.`
        : runtime[kind] === true
        ? `${word} everything that the kernel allows.`
        : `${word}:`;
      found.push(["Runtime", text, runtime[kind] === true ? [] : values]);
    }
  }
  if (kernel === "open" || kernel === "none") {
    found.push([
      "Kernel",
      kernel === "none"
        ? "The kernel adds no limit, because the thread has no file access."
        : "The kernel restricts nothing.",
      [],
    ]);
  } else if (kernel) {
    const words: Record<string, string> = {
      read: "may read",
      write: "may write",
      execute: "may execute",
      device: "may use devices",
      list: "may list",
    };
    for (const [kind, values] of Object.entries(kernel.files ?? {})) {
      if (list(values).length) {
        found.push(["Kernel", `The call ${words[kind] ?? kind}:`, list(values)]);
      }
    }
    if (!list(kernel.files?.write).length) {
      found.push(["Kernel", "The kernel refuses every write.", []]);
    }
    if (kernel.network) found.push(["Kernel", `Network of programs: ${kernel.network.access}`, []]);
    if (kernel.limits) {
      found.push([
        "Limits",
        Object.entries(kernel.limits).map(([name, most]) =>
          `${name} ${Number(most).toLocaleString("en")}`
        ).join(" · "),
        [],
      ]);
    }
  }
  return found;
}
