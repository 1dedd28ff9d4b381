import { quote } from "../../../base/text/quote.ts";

/** The command that logs in to a server, with the flags that decide which server is meant. */
export function loginCommand(
  server: string,
  { config, stateDir, scope }: {
    config?: string | undefined;
    stateDir?: string | undefined;
    scope?: string | undefined;
  },
): string {
  const flags = Object.entries({ config, "state-dir": stateDir, scope }).flatMap(([name, value]) =>
    value === undefined ? [] : ` --${name}=${/^[\w./@:+-]+$/.test(value) ? value : quote(value)}`
  );
  return `toolcall mcp login ${server}${flags.join("")}`;
}
