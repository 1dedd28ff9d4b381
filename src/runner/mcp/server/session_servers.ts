import { withServers } from "../../call/servers.ts";
import { serverIn } from "../client/tool_names.ts";
import { UpstreamNames } from "./upstream_names.ts";
import type { ServerContext } from "./tools_call.ts";

/** The context of one session of a client, and the end of its servers. */
export interface SessionContext {
  /** The context, with a catalogue and MCP servers of this session. */
  context: ServerContext;
  /** Ends the servers of the session. Never rejects. */
  closeServers(): Promise<void>;
}

/**
 * Gives a session its own MCP servers, so that no other session sees or changes their state. They
 * start with the first call that needs them. Their tools come from the lists that the process has
 * read at its start.
 */
export function openSessionServers(shared: ServerContext): SessionContext {
  if (!shared.options.servers.mayBeConfigured) {
    return { context: shared, closeServers: () => Promise.resolve() };
  }
  const servers = shared.options.servers.forSession();
  const registry = shared.options.registry.copy(({ name }) => serverIn(name) === undefined);
  const unsubscribe = shared.options.registry.subscribe(() =>
    registry.follow(shared.options.registry, ({ name }) => serverIn(name) !== undefined)
  );
  const options = { ...shared.options, servers, registry };
  // The process has reported the problems of the lists.
  const toolsListed = shared.toolsListed.then(() => withServers(options)).then(() => {});
  return {
    context: {
      ...{ ...shared, options, toolsListed },
      ...(shared.upstreamNames && { upstreamNames: new UpstreamNames(registry) }),
    },
    closeServers() {
      unsubscribe();
      return servers.closeAll();
    },
  };
}
