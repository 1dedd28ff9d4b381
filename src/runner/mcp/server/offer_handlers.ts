import type { Server, ServerContext as RequestContext } from "@modelcontextprotocol/server";
import { anyValue } from "../any_value.ts";
import { hasForms } from "./client_questions.ts";
import { protocolError } from "./protocol_error.ts";
import type { PromptFile } from "./prompt_file.ts";
import type { ResourceWatch } from "./resource_watch.ts";
import type { ConnectionFlags, ServerContext } from "./tools_call.ts";

/**
 * Lets a server answer requests about resources, prompts and completions, as far as it offers them.
 * The modules for them are loaded with the first request. `getFlags` returns the flags of the connection.
 * Returns a handle that ends the subscriptions of the connection.
 */
export function setOfferHandlers(
  server: Server,
  shared: ServerContext,
  getFlags: (request: RequestContext) => Promise<ConnectionFlags>,
): { close(): void } {
  const { offers } = shared;
  const flags = (request: RequestContext) =>
    getFlags(request).catch((error) => Promise.reject(protocolError(error)));
  const watched = offers.resources ? setResourceHandlers(server, shared, flags) : undefined;
  if (offers.prompts !== undefined) setPromptHandlers(server, shared, flags);
  const params = { params: anyValue };
  server.setRequestHandler("completion/complete", params, async (given, request) => {
    const { completeArgument, parseCompleteParams } = await import("./complete.ts");
    const options = { ...shared.options, ...await flags(request) };
    return await completeArgument(parseCompleteParams(given), options, await promptsOf(shared));
  });
  let unsubscribe: (() => void) | undefined;
  let isClosed = false;
  shared.prompts?.().then((prompts) => {
    const tell = () => void server.sendPromptListChanged().catch(() => {});
    if (!isClosed) unsubscribe = prompts.subscribe(tell);
  });
  return {
    close() {
      isClosed = true;
      watched?.close();
      unsubscribe?.();
    },
  };
}

function setResourceHandlers(
  server: Server,
  shared: ServerContext,
  flags: (request: RequestContext) => Promise<ConnectionFlags>,
): { close(): void } {
  const load = () => import("./resources.ts");
  const of = (request: RequestContext) => ({ shared, request, flags: () => flags(request) });
  server.setRequestHandler(
    "resources/list",
    async ({ params }, request) => await (await load()).listResources(params?.cursor, of(request)),
  );
  server.setRequestHandler(
    "resources/templates/list",
    async (_, request) => await (await load()).listTemplates(of(request)),
  );
  server.setRequestHandler(
    "resources/read",
    async ({ params }, request) => await (await load()).readResource(params.uri, of(request)),
  );
  let watch: ResourceWatch | undefined;
  server.setRequestHandler("resources/subscribe", async ({ params }, request) => {
    const { ResourceWatch } = await import("./resource_watch.ts");
    const options = { ...shared.options, ...await flags(request) };
    watch ??= new ResourceWatch(
      options,
      (uri) => void server.sendResourceUpdated({ uri }).catch(() => {}),
    );
    await watch.add(params.uri).catch((error) => Promise.reject(protocolError(error)));
    return {};
  });
  server.setRequestHandler("resources/unsubscribe", ({ params }) => {
    watch?.remove(params.uri);
    return {};
  });
  return { close: () => watch?.close() };
}

function setPromptHandlers(
  server: Server,
  shared: ServerContext,
  flags: (request: RequestContext) => Promise<ConnectionFlags>,
): void {
  const load = () => import("./prompts.ts");
  server.setRequestHandler(
    "prompts/list",
    async () => (await load()).listPrompts(await promptsOf(shared)),
  );
  server.setRequestHandler("prompts/get", async ({ params }, request) => {
    const { getPrompt } = await load();
    const { findPrompt } = await import("./find_prompt.ts");
    const prompt = findPrompt(await promptsOf(shared), params.name);
    const { readResource } = await import("./resources.ts");
    return await getPrompt(prompt, params.arguments ?? {}, {
      cwd: shared.options.cwd,
      read: (uri) => readResource(uri, { shared, request, flags: () => flags(request) }),
      hasForms: hasForms(server, request),
      responses: request.mcpReq.inputResponses,
    });
  });
}

async function promptsOf({ prompts }: ServerContext): Promise<ReadonlyMap<string, PromptFile>> {
  try {
    return prompts === undefined ? new Map() : (await prompts()).prompts();
  } catch (error) {
    throw protocolError(error);
  }
}
