import { parse } from "@std/yaml/parse";
import { webUrl } from "../../../base/host.ts";
import { osErrorMessage } from "../../../base/os_error_message.ts";
import { quote } from "../../../base/text/quote.ts";
import { CallError } from "../../../base/errors.ts";

/** The largest document, in bytes. */
const MAX_BYTES = 20 * 1024 * 1024;

/** The most values in a YAML document. */
const MAX_VALUES = 2_000_000;

/** The time that a server has to deliver a document, in milliseconds. */
const FETCH_MS = 30_000;

/** A document that was read. */
export interface AddedSource {
  /** Its value. */
  value: unknown;
  /** The address that it came from, if it came from one. */
  url?: URL;
}

/** Reads a JSON or YAML document from a file or an address. Throws `unavailable`. */
export async function readAddedSource(place: string): Promise<AddedSource> {
  const url = webUrl(place);
  try {
    const text = url === undefined ? readFile(place) : await download(url);
    return { value: parsed(text), ...(url !== undefined && { url }) };
  } catch (error) {
    const message = `Cannot read ${quote(place, 400)}: ${osErrorMessage(error)}`;
    throw new CallError("unavailable", message);
  }
}

function readFile(path: string): string {
  const { size, isFile } = Deno.statSync(path);
  if (!isFile) throw new Error("it is no file");
  if (size > MAX_BYTES) throw new Error("it is larger than 20 MiB");
  return Deno.readTextFileSync(path);
}

async function download(url: URL): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.timeout(FETCH_MS) });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`the server answers with status ${response.status}`);
  }
  const decoder = new TextDecoder();
  let [text, bytes] = ["", 0];
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new Error("it is larger than 20 MiB");
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function parsed(text: string): unknown {
  if (/^\s*[{[]/.test(text)) {
    try {
      return JSON.parse(text);
    } catch { /* YAML can begin in the same way. */ }
  }
  // The other schemas of YAML make dates of strings.
  const value = parse(text, { schema: "json" });
  refuseLarge(value);
  return value;
}

/** Throws if the aliases of a YAML document make it much larger than its text, or circular. */
function refuseLarge(value: unknown): void {
  const waiting = [value];
  for (let count = 0; waiting.length > 0; count++) {
    if (count === MAX_VALUES) throw new Error("its aliases repeat too much");
    const each = waiting.pop();
    if (typeof each === "object" && each !== null) waiting.push(...Object.values(each));
  }
}
