import { delay } from "@std/async/delay";
import { CallError, UsageError } from "../../../base/errors.ts";
import { escapeControls } from "../../../base/text/escape_controls.ts";
import { quote, quotePath } from "../../../base/text/quote.ts";
import { Callback } from "../../mcp/oauth/callback.ts";
import { login } from "../../mcp/oauth/login.ts";
import { endTokens } from "../../mcp/oauth/logout.ts";
import { OriginGuard, refusal } from "../../mcp/oauth/origin_guard.ts";
import { tokenId } from "../../mcp/oauth/token_record.ts";
import { TokenStore } from "../../mcp/oauth/token_store.ts";
import { stateDirectory } from "../../state/state_directory.ts";
import { openBrowser } from "../../ui/open_browser.ts";
import type { Command, Process } from "../command.ts";
import { refuseOperands } from "../operands.ts";
import { inline } from "../print/style.ts";
import { writeAll } from "../streams.ts";
import { TypedLines } from "../typed_lines.ts";
import { refuseOthers, remoteServer } from "./mcp_remote_server.ts";

/** The time that a login may take, in milliseconds. */
const LOGIN_MS = 10 * 60_000;

/** The flags that decide which server is meant. */
const PLACE_FLAGS = ["config", "root", "state-dir"];

/** `toolcall mcp login SERVER`: logs in to a server by a browser, and keeps the tokens. */
export const mcpLoginCommand: Command = async (line, [name, ...rest], process) => {
  refuseOthers(line, [...PLACE_FLAGS, "scope", "no-open", "auth-server"], "mcp login");
  if (name === undefined) throw new UsageError("Missing server. Usage: toolcall mcp login SERVER");
  refuseOperands(rest, 0, line);
  const { server, setup } = await remoteServer(name, line);
  const { place: { url, oauth } } = server;
  if (oauth?.grant === "client_credentials") {
    throw new UsageError(
      `${quote(name)} needs no login: its "oauth" has the credentials of a client. For a login, ` +
        'set "grant": "authorization_code"',
    );
  }
  const say = (text: string) => writeAll(process.stderr, escapeControls(`${text}\n`));
  const lines = new TypedLines(process.stdin);
  const signal = AbortSignal.timeout(LOGIN_MS);
  const named = [oauth?.issuer, oauth?.tokenEndpoint].filter((each) => each !== undefined);
  const guard = new OriginGuard({
    ...{ server: name, url, signal },
    named: [...named.map((each) => new URL(each).origin), ...namedOrigins(line.options)],
    ask: async (origin, { note }) => {
      const allowsAny = line.options.get("auth-server") === "";
      if (allowsAny && note === undefined) return;
      await askOrigin(origin, { name, url, note, lines, process });
    },
  });
  await using callback = new Callback(oauth?.callbackPort ?? 0);
  const store = new TokenStore(setup.stateDir, setup.grants);
  const record = await login(server, {
    ...{ setup, guard, callback, scope: line.options.get("scope") },
    async present(address) {
      await say(`Open this address in a browser to log in to ${quote(name)}:\n\n${address.href}\n`);
      const isOpened = !line.options.has("no-open") &&
        openBrowser(address.href, stateDirectory(setup.stateDir));
      await say(
        `${isOpened ? "A browser is opening. " : ""}Waiting for the login. If the browser is on ` +
          `another machine, paste the address of its last page here, which begins with ` +
          `${callback.redirectUri}`,
      );
      return await answerOf(callback, { lines, process, signal, say });
    },
  });
  const id = await tokenId(server);
  using _lock = await store.lock(id, signal);
  const isEncrypted = await store.write(id, record);
  const where = quotePath(store.pathOf(id));
  const kept = isEncrypted
    ? `The tokens are in ${where}, encrypted by a key in the system's keyring.`
    : `The tokens are in ${where}, which only you can read.`;
  const text = `Logged in to ${quote(name)} (${record.url}).\n${kept}\n` +
    `Its tools need --allow-mcp=${name}: toolcall list --allow-mcp=${name}\n`;
  await writeAll(process.stdout, escapeControls(text));
  return 0;
};

/** `toolcall mcp logout SERVER`: ends the tokens at the authorization server, and removes them. */
export const mcpLogoutCommand: Command = async (line, [name, ...rest], process) => {
  refuseOthers(line, PLACE_FLAGS, "mcp logout");
  if (name === undefined) throw new UsageError("Missing server. Usage: toolcall mcp logout SERVER");
  refuseOperands(rest, 0, line);
  const store = new TokenStore(line.options.get("state-dir"), line.grants);
  const found = [...store.all()].filter(([, { server }]) => server === name);
  if (found.length === 0) {
    await writeAll(process.stdout, `Nothing to do: there are no tokens for ${quote(name)}\n`);
    return 0;
  }
  for (const [id, { url }] of found) {
    const fault = await endTokens(store, id);
    store.remove(id);
    await writeAll(process.stdout, `Removed the tokens for ${quote(name)} (${inline(url)})\n`);
    if (fault === undefined) continue;
    const why = `The authorization server was not told: ${fault}`;
    await writeAll(process.stderr, `toolcall: ${escapeControls(why)}\n`);
  }
  return 0;
};

/** The origins of `--auth-server`. Throws {@link UsageError} for another string. */
function namedOrigins(options: ReadonlyMap<string, string>): string[] {
  const list = options.get("auth-server") ?? "";
  return list === "" ? [] : list.split(",").map((each) => {
    const url = URL.parse(each);
    if (url !== null && /^https?:$/.test(url.protocol)) return url.origin;
    throw new UsageError(
      `Invalid --auth-server=${each}: write an origin, such as https://auth.example.com`,
    );
  });
}

/** Asks on the terminal whether an origin may take part. Throws `unavailable` without a yes. */
async function askOrigin(
  origin: string,
  { name, url, note, lines, process }: {
    name: string;
    url: string;
    note: string | undefined;
    lines: TypedLines;
    process: Process;
  },
): Promise<void> {
  const refuse = (why: string) => refusal(name, new URL(origin), why);
  const advice = `if that is right, add --auth-server=${origin}`;
  if (!process.stdin.isTerminal() || !process.stderr.isTerminal()) {
    throw refuse(note === undefined ? `it is at another origin; ${advice}` : `${note}; ${advice}`);
  }
  const warning = note === undefined ? "" : ` Careful: ${note}.`;
  const text = `The server ${quote(name)} is at ${new URL(url).origin}, and names ${origin} for ` +
    `its login.${warning} Go on with ${origin}? [y/N] `;
  await writeAll(process.stderr, escapeControls(text));
  if (!/^y(es)?$/i.test((await lines.next())?.trim() ?? "")) throw refuse("you did not agree");
}

/** Waits for the browser, or for the address that the user pastes. */
async function answerOf(
  callback: Callback,
  { lines, process, signal, say }: {
    lines: TypedLines;
    process: Process;
    signal: AbortSignal;
    say(text: string): Promise<void>;
  },
): Promise<URLSearchParams> {
  const isOver = new AbortController();
  const pasted = async (): Promise<URLSearchParams> => {
    for (;;) {
      const text = await lines.next();
      // Without more input only the browser can answer.
      if (text === undefined) return await callback.answer;
      if (text.trim() === "") continue;
      const fault = callback.take(text);
      if (fault === undefined) return await callback.answer;
      if (!process.stdin.isTerminal()) throw notPasted(fault);
      await say(`toolcall: Cannot use this address: ${fault}`);
    }
  };
  const late = delay(LOGIN_MS, { signal: isOver.signal }).then(() => signal.throwIfAborted());
  late.catch(() => {});
  try {
    return await Promise.race([callback.answer, pasted(), late]) as URLSearchParams;
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new CallError("unavailable", `Cannot log in: no answer within ${LOGIN_MS / 60_000} min`);
  } finally {
    isOver.abort();
  }
}

function notPasted(fault: string): CallError {
  return new CallError("unavailable", `Cannot log in with the address on stdin: ${fault}`);
}
