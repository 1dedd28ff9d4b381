import { CallError } from "../../../base/errors.ts";
import { hasAuthorization } from "../../mcp/oauth/oauth_config.ts";
import { isRemote, shownUrl } from "../../mcp/oauth/remote_config.ts";
import { type StoredInfo, tokenId } from "../../mcp/oauth/token_record.ts";
import { TokenStore } from "../../mcp/oauth/token_store.ts";
import type { ServerConfig } from "../../mcp/client/server_config.ts";
import { unknownServer } from "../../mcp/client/servers_config.ts";
import { type Command, readFormat } from "../command.ts";
import { refuseOperands } from "../operands.ts";
import { inline, layoutFor } from "../print/style.ts";
import { type Cell, tableLines } from "../print/table.ts";
import { writeAll } from "../streams.ts";
import { readServers, refuseOthers } from "./mcp_remote_server.ts";
import type { Style } from "../../../base/terminal/terminal_text.ts";

/** Whether a server has tokens, and if not, why. */
type TokenState =
  | "logged in"
  | "expired"
  | "not logged in"
  | "client credentials"
  | "own header"
  | "program"
  | "not configured"
  | "invalid";

/** A server and its tokens, for people and programs. No field has a secret. */
interface ServerTokenStatus {
  server: string;
  state: TokenState;
  url: string | null;
  /** The authorization server. */
  issuer: string | null;
  scope: string | null;
  /** The end of the access token in ISO 8601. */
  expires: string | null;
  /** Whether a call can renew the token without a person. */
  renews: boolean;
  /** Whether the system's keyring has the key of the file. */
  keyring: boolean;
}

/** `toolcall mcp status [SERVER]`: the servers, and whether they have tokens. Contacts none. */
export const mcpStatusCommand: Command = async (line, [name, ...rest], { stdout }) => {
  refuseOthers(line, ["config", "root", "state-dir", "format"], "mcp status");
  refuseOperands(rest, 0, line);
  const format = readFormat(line, ["text", "json"]);
  const { config } = await readServers(line);
  const store = new TokenStore(line.options.get("state-dir"), line.grants);
  const stored = store.all();
  const all: ServerTokenStatus[] = [];
  for (const [server, entry] of config.servers) {
    const id = entry instanceof Error || !isRemote(entry) ? undefined : await tokenId(entry);
    all.push(statusOf(server, entry, id === undefined ? undefined : stored.get(id)));
    if (id !== undefined) stored.delete(id);
  }
  for (const info of stored.values()) all.push(statusOf(info.server, undefined, info));
  const chosen = all.filter(({ server }) => name === undefined || server === name);
  if (name !== undefined && chosen.length === 0) {
    const why = config.path === undefined ? "none is configured" : unknownServer(config, name);
    throw new CallError("unavailable", why, { server: name });
  }
  const text = format === "json"
    ? `${JSON.stringify(chosen)}\n`
    : chosen.length === 0
    ? "No MCP server is configured; toolcall mcp add adds one\n"
    : formatTable(chosen, layoutFor(stdout));
  await writeAll(stdout, text);
  return 0;
};

function statusOf(
  server: string,
  entry: ServerConfig | Error | undefined,
  info: StoredInfo | undefined,
): ServerTokenStatus {
  const url = info?.url ??
    (entry instanceof Error || entry === undefined || !isRemote(entry)
      ? null
      : shownUrl(entry.place.url));
  return {
    ...{ server, state: stateOf(entry, info), url },
    issuer: info?.issuer ?? null,
    scope: info?.scope ?? null,
    expires: info?.expiresAt === undefined ? null : new Date(info.expiresAt).toISOString(),
    renews: info !== undefined && (info.grant === "client_credentials" || info.canRefresh),
    keyring: info?.isEncrypted ?? false,
  };
}

function stateOf(
  entry: ServerConfig | Error | undefined,
  info: StoredInfo | undefined,
): TokenState {
  if (entry === undefined) return "not configured";
  if (entry instanceof Error) return "invalid";
  if (!isRemote(entry)) return "program";
  if (hasAuthorization(entry.place.headers)) return "own header";
  if (entry.place.oauth?.grant === "client_credentials") return "client credentials";
  if (info === undefined || !info.hasToken) return "not logged in";
  const hasEnded = info.expiresAt !== undefined && info.expiresAt <= Date.now();
  return hasEnded && !info.canRefresh ? "expired" : "logged in";
}

const STYLES: Readonly<Partial<Record<TokenState, Style>>> = {
  ...{ "logged in": "green", "client credentials": "green", "own header": "green" },
  ...{ expired: "red", invalid: "red", "not logged in": "yellow" },
};

function formatTable(
  all: readonly ServerTokenStatus[],
  page: Parameters<typeof tableLines>[1],
): string {
  const rows = [
    ["SERVER", "STATE", "TOKEN UNTIL", "ADDRESS"].map((text): Cell => ({ text, style: "faint" })),
    ...all.map(({ server, state, expires, renews, url }): Cell[] => {
      const style = STYLES[state];
      const until = expires === null ? "-" : `${expires.slice(0, 16).replace("T", " ")} UTC`;
      return [
        { text: inline(server), style: "strong" },
        { text: state, ...(style && { style }) },
        { text: renews && expires !== null ? `${until}, renewed` : until },
        { text: inline(url ?? "-") },
      ];
    }),
  ];
  return tableLines(rows, page).map((each) => `${each}\n`).join("");
}
