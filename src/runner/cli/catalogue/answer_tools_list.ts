import { withServers } from "../../call/servers.ts";
import type { CallOptions } from "../../call/call.ts";
import type { Request } from "../../dialect/incoming.ts";
import { renderList } from "../../dialect/request.ts";
import { publishedOutputs } from "../../registry/published_outputs.ts";
import { toMcp } from "../../schema/definitions/mcp.ts";
import type { Process } from "../command.ts";
import { writeAll } from "../streams.ts";
import { warn } from "./catalogue.ts";

/** Answers a JSON-RPC request of the method `tools/list`. */
export async function answerToolsList(
  request: Request,
  options: CallOptions,
  process: Process,
): Promise<void> {
  await warn(await withServers(options), process);
  const { registry } = options;
  const names = registry.namesForApis();
  const outputs = options.structured ? publishedOutputs : {};
  const tools = (await registry.list()).map((tool) => toMcp(tool, names.get(tool.name)!, outputs));
  await writeAll(process.stdout, await renderList(request, tools));
}
