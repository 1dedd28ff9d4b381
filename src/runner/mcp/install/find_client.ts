import { UsageError } from "../../../base/errors.ts";
import { hint, nearest } from "../../../base/text/nearest.ts";
import { quote } from "../../../base/text/quote.ts";
import { type Client, clients, type ClientScope } from "./clients.ts";

/** The names of the known clients. */
export const clientNames: readonly string[] = clients.map(({ name }) => name);

/**
 * The client of that name. Letter case and punctuation do not count, and the start of a name is
 * enough if only one name has it. Throws {@link UsageError} that names the similar clients.
 */
export function findClient(name: string | undefined): Client {
  const known = `available: ${clientNames.join(", ")}`;
  if (name === undefined) throw new UsageError(`Missing client name; ${known}`);
  const wanted = folded(name);
  const exact = clients.find((client) => folded(client.name) === wanted);
  if (exact !== undefined) return exact;
  const similar = wanted.length < 3
    ? []
    : clients.filter((client) => folded(client.name).startsWith(wanted));
  if (similar.length === 1) return similar[0]!;
  if (similar.length > 1) {
    const choices = similar.map((client) => `${client.name} (${client.title})`).join(" or ");
    throw new UsageError(`The client ${quote(name)} is ambiguous: write ${choices}`);
  }
  const near = nearest(name, clientNames);
  throw new UsageError(
    `Unknown client ${quote(name)}; ${near === undefined ? "" : `${hint(near, "")} `}${known}`,
  );
}

/** Letters and digits in lower case. */
function folded(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}

/**
 * The scope of `--scope`, by default the project's if the client reads such a file. Throws
 * {@link UsageError} for another scope, and for one that the client does not have.
 */
export function scopeOf(client: Client, given: string | undefined): ClientScope {
  const { files, title, userCommand } = client;
  const fallback = files.project === undefined ? "user" : "project";
  const scope = (["project", "user"] as const).find((each) => each === (given ?? fallback));
  if (scope === undefined) {
    throw new UsageError(`Unknown scope ${quote(given!)}; available: project and user`);
  }
  if (files[scope] !== undefined) return scope;
  const other = userCommand === undefined || scope === "project"
    ? `omit --scope`
    : `run "${userCommand} toolcall -- toolcall mcp ..." instead`;
  throw new UsageError(`${title} has no file that toolcall changes for --scope=${scope}: ${other}`);
}
