import type { GuardOptions } from "../../mcp/server/http_guard.ts";
import { isLoopback } from "../../mcp/server/loopback.ts";
import { quote } from "../../../base/text/quote.ts";
import { UsageError } from "../../../base/errors.ts";

/** How many random bytes a token is made of. */
const TOKEN_BYTES = 32;

/** The flags that go with `--http` only. */
export const HTTP_FLAGS: readonly string[] = ["token-env", "no-token", "origin"];

/** The address to listen on, and the token and origin that a client has to show. */
export interface HttpAddress extends GuardOptions {
  /** The port; 0 for any that is free. */
  port: number;
  /** Whether the token was made here, so that nobody knows it yet. */
  isMade: boolean;
}

/** The address and the rules of `--http=ADDRESS` and its flags. Throws {@link UsageError}. */
export function httpAddress(address: string, options: ReadonlyMap<string, string>): HttpAddress {
  const [, bracketed, name, port] = /^(?:\[([\da-fA-F:.]+)\]|([\w.-]+)):(\d{1,5})$/.exec(address) ??
    [];
  const hostname = bracketed ?? name;
  if (hostname === undefined || Number(port) > 65_535) {
    throw new UsageError(
      `Cannot listen on ${quote(address)}: expected HOST:PORT, such as --http=127.0.0.1:8123`,
    );
  }
  const variable = options.get("token-env");
  if (options.has("no-token")) {
    if (variable !== undefined) {
      throw new UsageError("The flags --token-env and --no-token exclude each other");
    }
    if (!isLoopback(hostname)) {
      throw new UsageError(
        `Cannot listen on ${quote(address)} without a token: other machines can reach it; ` +
          "leave --no-token out",
      );
    }
  }
  const token = options.has("no-token")
    ? undefined
    : variable === undefined
    ? crypto.getRandomValues(new Uint8Array(TOKEN_BYTES)).toHex()
    : tokenIn(variable);
  return {
    ...{ hostname, port: Number(port), origins: originsIn(options.get("origin")) },
    ...(token !== undefined && { token }),
    isMade: token !== undefined && variable === undefined,
  };
}

function tokenIn(variable: string): string {
  const token = Deno.env.get(variable) ?? "";
  if (token === "") {
    throw new UsageError(`The variable ${quote(variable)} of --token-env is not set`);
  }
  return token;
}

/** The origins of a list, each as a browser writes it. Throws {@link UsageError}. */
function originsIn(list: string | undefined): string[] {
  const origins = list?.split(",") ?? [];
  const wrong = origins.find((each) => !/^[a-z][a-z0-9+.-]*:\/\/[^\s/?#*]+$/.test(each));
  if (wrong === undefined) return origins;
  throw new UsageError(
    `The flag --origin has no origin in ${quote(wrong)}: expected SCHEME://HOST[:PORT], such as ` +
      "--origin=http://localhost:6274",
  );
}
