import { UsageError } from "../../base/errors.ts";
import { parseJsonDocument } from "../../base/json/exact_json.ts";
import { isObject } from "../../base/json/is_object.ts";
import { meansNoArguments } from "../dialect/empty_arguments.ts";
import { completePaths } from "../call/complete_paths.ts";
import type { PageBackend, PageCall, PageOptions } from "./page_backend.ts";
import type { PageCalls } from "./page_calls.ts";
import { streamEvents } from "./page_events.ts";

/** The most characters of a request. */
const MAX_BODY = 8 * 2 ** 20;

/** The parts that the API answers with. */
export interface PageApi {
  /** The functions of the command line. */
  backend: PageBackend;
  /** How the page is served. */
  options: PageOptions;
  /** The calls of the page. */
  calls: PageCalls;
  /** Aborted when the server stops. */
  stopped: AbortSignal;
}

/** Answers a request to `/api/…` whose token is right. */
export async function respondToApi(request: Request, url: URL, api: PageApi): Promise<Response> {
  try {
    const route = `${request.method} ${url.pathname.slice("/api/".length)}`;
    const [, kind = "", id = "", rest = ""] = /^(\S+ (?:calls|tasks))\/([\w-]+)(\/\w+)?$/
      .exec(route) ?? [];
    if (kind !== "") return await respondToItem(`${kind}/ID${rest}`, id, api);
    return await respondToRoute(route, { request, url }, api);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return Response.json({ error: message }, { status: error instanceof UsageError ? 400 : 500 });
  }
}

async function respondToRoute(
  route: string,
  { request, url }: { request: Request; url: URL },
  { backend, options, calls, stopped }: PageApi,
): Promise<Response> {
  const { shared } = backend;
  switch (route) {
    case "GET state":
      return Response.json({
        version: options.version,
        ceiling: backend.ceiling,
        root: shared.options.cwd,
        isReadOnly: options.isReadOnly,
        hasAudit: shared.options.audit !== undefined,
        hasWorkers: backend.workers !== undefined,
        sets: backend.permissionSets(),
      });
    case "GET tools":
      await shared.toolsListed;
      return Response.json(await backend.tools());
    case "POST check": {
      const { call, flags } = await readCall(request);
      const narrowed = flags === undefined ? {} : await backend.narrow(flags);
      return Response.json(await backend.check(call, { ...shared.options, ...narrowed }));
    }
    case "POST call":
      if (options.isReadOnly) {
        const error = "Cannot run a call: the server was started with --read-only; restart it " +
          "without this flag";
        return Response.json({ error }, { status: 403 });
      }
      return await calls.run(await readCall(request));
    case "POST answer": {
      const { id, answers } = await readBody(request);
      const given = isObject(answers) ? answers as Record<string, string> : undefined;
      return found(typeof id === "string" && calls.answer(id, given), "question");
    }
    case "GET tasks":
      return Response.json(backend.tasks());
    case "GET events":
      return streamEvents(backend, stopped);
    case "GET paths":
      return Response.json(completePaths(url.searchParams.get("prefix") ?? "", shared.options));
    case "GET doctor":
      return Response.json(await backend.ownReport(["doctor", "--format=json"]));
    case "GET config":
      return Response.json(await backend.configuration());
    case "GET servers":
      return Response.json(await backend.servers());
    case "POST servers": {
      const { name } = await readBody(request);
      if (options.isReadOnly || typeof name !== "string") return found(false, "server");
      await backend.startServer(name);
      return found(true, "server");
    }
    case "POST model": {
      const { name, result } = await readBody(request);
      return Response.json(await backend.forModel({ name: String(name), arguments: {} }, result));
    }
    case "GET workers":
      return Response.json(await backend.workers?.() ?? { workers: [] });
    case "GET clients":
      return Response.json(await backend.ownReport(["mcp", "list", "--format=json"]));
    default:
      return found(false, "route");
  }
}

async function respondToItem(route: string, id: string, api: PageApi): Promise<Response> {
  const { backend, calls, options } = api;
  if (route === "DELETE calls/ID") return found(calls.cancel(id), "running call");
  if (route === "GET tasks/ID") return Response.json(await backend.taskOutput(id));
  if (route === "POST tasks/ID/stop" && !options.isReadOnly) {
    return Response.json(await backend.stopTask(id));
  }
  return found(false, "route");
}

function found(isFound: boolean, what: string): Response {
  if (isFound) return Response.json({ ok: true });
  return Response.json({ error: `Cannot find this ${what}; reload the page` }, { status: 404 });
}

async function readBody(request: Request): Promise<Record<string, unknown>> {
  const text = await request.text();
  if (text.length > MAX_BODY) throw new UsageError("The request is longer than 8 MiB; shorten it");
  try {
    const { value: body, duplicateKey } = parseJsonDocument(text);
    if (isObject(body) && duplicateKey === undefined) return body;
  } catch { /* The error below says what is expected. */ }
  throw new UsageError("Cannot read the request: expected a JSON object without duplicate keys");
}

async function readCall(request: Request): Promise<PageCall> {
  const { name, arguments: given, flags } = await readBody(request);
  const args = meansNoArguments(given) ? {} : given;
  if (typeof name !== "string" || !isObject(args)) {
    throw new UsageError("Cannot read the call: expected a name and an object of arguments");
  }
  const call = { name, arguments: args };
  if (flags === undefined) return { call };
  if (!Array.isArray(flags) || !flags.every((flag) => typeof flag === "string")) {
    throw new UsageError("Cannot read the flags: expected a list of strings");
  }
  return { call, flags };
}
