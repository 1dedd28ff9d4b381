import {
  type GetPromptResult,
  inputRequired,
  type InputRequiredResult,
  inputResponse,
  type ListPromptsResult,
  type ReadResourceResult,
} from "@modelcontextprotocol/server";
import { toFileUrl } from "@std/path/posix/to-file-url";
import { pathRules } from "../../../base/fs/path_rules.ts";
import { quote } from "../../../base/text/quote.ts";
import { hint, nearest } from "../../../base/text/nearest.ts";
import { JsonRpcError } from "../json_rpc_error.ts";
import type { PromptFile } from "./prompt_file.ts";

type PromptMessage = GetPromptResult["messages"][number];
type Arguments = Readonly<Record<string, string>>;

/** The name of the only form in a request for input. */
const FORM = "arguments";

/** The surroundings of a request for a prompt. */
export interface PromptRequest {
  /** The directory against which attached paths are resolved. */
  cwd: string;
  /** Reads an attachment. */
  read(uri: string): Promise<ReadResourceResult>;
  /** Whether the client shows forms. */
  hasForms: boolean;
  /** The client's answers, when it repeats the request. */
  responses?: Record<string, unknown> | undefined;
}

/** Answers `prompts/list`. */
export function listPrompts(prompts: ReadonlyMap<string, PromptFile>): ListPromptsResult {
  return {
    prompts: [...prompts.values()].map(({ name, title, description, arguments: args }) => ({
      ...{ name, description, ...(title !== undefined && { title }) },
      ...(args.length > 0 && {
        arguments: args.map(({ name, description, required }) => ({
          ...{ name, required, ...(description !== undefined && { description }) },
        })),
      }),
    })),
  };
}

/**
 * Answers `prompts/get`. If a required argument is missing, the answer is a form for the user, and
 * the client repeats the request. Throws -32602 for wrong arguments.
 */
export async function getPrompt(
  prompt: PromptFile,
  given: Arguments,
  request: PromptRequest,
): Promise<GetPromptResult | InputRequiredResult> {
  const args = { ...given, ...answersIn(request.responses) };
  checkArguments(prompt, args);
  const missing = prompt.arguments.filter(({ name, required }) => required && !has(args, name));
  if (missing.length > 0) {
    if (request.hasForms) return formFor(prompt, missing);
    const names = missing.map(({ name }) => quote(name)).join(", ");
    throw invalid(`The prompt ${quote(prompt.name)} needs the arguments ${names}`);
  }
  const fill = (text: string) => fillIn(text, prompt, args);
  const messages: PromptMessage[] = [];
  for (const attached of prompt.attach.map(fill)) {
    // An optional argument that is missing attaches nothing.
    if (attached === "") continue;
    const { contents } = await request.read(addressOf(attached, request.cwd));
    messages.push(...contents.map((resource) => ({ role: "user" as const, ...blockOf(resource) })));
  }
  messages.push({ role: "user", content: { type: "text", text: fill(prompt.text) } });
  return { description: prompt.description, messages };
}

function checkArguments(prompt: PromptFile, args: Arguments): void {
  for (const [name, value] of Object.entries(args)) {
    const argument = prompt.arguments.find((each) => each.name === name);
    if (argument === undefined) {
      const known = prompt.arguments.map((each) => each.name);
      const near = hint(nearest(name, known), "prompts/list");
      throw invalid(`The prompt ${quote(prompt.name)} has no argument ${quote(name)}; ${near}`);
    }
    if (argument.values !== undefined && !argument.values.includes(value)) {
      const values = argument.values.map((each) => quote(each)).join(", ");
      throw invalid(`The argument ${quote(name)} must be one of ${values}, got ${quote(value)}`);
    }
  }
}

/** Replaces the names in double braces at once, so that no value is looked at for names again. */
function fillIn(text: string, { arguments: known }: PromptFile, args: Arguments): string {
  return text.replace(
    /\{\{\s*([\w.-]+)\s*\}\}/g,
    (whole, name: string) =>
      known.some((each) => each.name === name) ? (has(args, name) ? args[name]! : "") : whole,
  );
}

/** Returns the address of an attachment, which is an address or a path. */
function addressOf(attached: string, cwd: string): string {
  if (/^[a-z][a-z0-9+.-]+:/i.test(attached)) return attached;
  return toFileUrl(pathRules.resolve(cwd, attached)).href;
}

function blockOf(
  resource: ReadResourceResult["contents"][number],
): Pick<PromptMessage, "content"> {
  const { mimeType = "" } = resource;
  const isMedia = /^(image|audio)\//.exec(mimeType);
  if (isMedia === null || !("blob" in resource)) return { content: { type: "resource", resource } };
  return { content: { type: isMedia[1] as "image" | "audio", data: resource.blob, mimeType } };
}

function formFor(prompt: PromptFile, missing: PromptFile["arguments"]): InputRequiredResult {
  const properties = Object.fromEntries(missing.map(({ name, description, values }) => [name, {
    type: "string" as const,
    title: name,
    ...(description !== undefined && { description }),
    ...(values !== undefined && { enum: [...values] }),
  }]));
  const form = inputRequired.elicit({
    message: `The prompt "${prompt.name}" needs more`,
    requestedSchema: { type: "object", properties, required: missing.map(({ name }) => name) },
  });
  return inputRequired({ inputRequests: { [FORM]: form } });
}

/** Returns the answers of the user. Throws -32602 if the user gave none. */
function answersIn(responses: PromptRequest["responses"]): Arguments {
  const response = inputResponse(responses, FORM);
  if (response.kind !== "elicit") return {};
  if (response.action !== "accept") throw invalid("The user gave no arguments for the prompt");
  const texts = Object.entries(response.content ?? {}).filter(([, value]) => value !== "");
  return Object.fromEntries(texts.map(([name, value]) => [name, String(value)]));
}

function has(args: Arguments, name: string): boolean {
  return Object.hasOwn(args, name);
}

function invalid(message: string): JsonRpcError {
  return new JsonRpcError("invalidParams", message);
}
