import { hint, nearest } from "../../../base/text/nearest.ts";
import { quote } from "../../../base/text/quote.ts";
import { JsonRpcError } from "../json_rpc_error.ts";
import type { PromptFile } from "./prompt_file.ts";

/** Returns the prompt of that name. Throws -32602 for an unknown one, with the most similar. */
export function findPrompt(
  prompts: ReadonlyMap<string, PromptFile>,
  name: string,
): PromptFile {
  const found = prompts.get(name);
  if (found !== undefined) return found;
  const known = [...prompts.keys()];
  const near = hint(nearest(name, known), "prompts/list");
  throw new JsonRpcError("invalidParams", `Unknown prompt ${quote(name)}; ${near}`);
}
