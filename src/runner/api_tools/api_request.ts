/** The request of a call: its URL, header and body. A value cannot leave its place in them. */

import { isObject } from "../../base/json/is_object.ts";
import { quote } from "../../base/text/quote.ts";
import type { FetchRequest } from "../registry/services.ts";
import type { ApiArguments, ApiParameter } from "./api_schema.ts";
import type { ApiCredential } from "./credentials.ts";

/** A request that is ready to be sent. */
export interface ApiRequest extends Omit<FetchRequest, "signal"> {
  /** The URL. */
  url: string;
}

/** Characters that may not be in a header field: controls, and what is outside of Latin-1. */
// deno-lint-ignore no-control-regex -- They are what is refused.
const NO_HEADER = /[\x00-\x08\x0a-\x1f\x7f]|[^\x00-\xff]/;

/**
 * Builds the request of a call. Throws for a value that would change the path, the header or the
 * host of the request.
 */
export function buildRequest(
  { method, path, server, args, operation, credentials }: {
    method: string;
    path: string;
    server: URL;
    args: Readonly<Record<string, unknown>>;
    operation: ApiArguments;
    credentials: readonly ApiCredential[];
  },
): ApiRequest {
  const query: string[] = [];
  const cookies: string[] = [];
  const headers: Record<string, string> = { accept: "application/json, */*;q=0.5" };
  let filled = path;
  for (const parameter of operation.parameters) {
    const { argument, name, place } = parameter;
    const value = Object.hasOwn(args, argument) ? args[argument] : undefined;
    if (value === undefined || value === null && place !== "query") continue;
    if (place === "path") {
      filled = filled.replaceAll(`{${name}}`, () => pathText(value, parameter));
    } else if (place === "query") query.push(...queryTexts(value, parameter));
    else if (place === "header") headers[name.toLowerCase()] = headerText(value, parameter);
    else cookies.push(...queryTexts(value, parameter));
  }
  for (const { place, name, value } of credentials) {
    if (place === "query") query.push(`${encode(name, name)}=${encode(value, name)}`);
    else if (place === "cookie") cookies.push(`${encode(name, name)}=${encode(value, name)}`);
    else headers[name.toLowerCase()] = value;
  }
  if (cookies.length > 0) headers["cookie"] = cookies.join("; ");
  const { bodyArgument, body: form } = operation;
  const given = Object.hasOwn(args, bodyArgument) ? args[bodyArgument] : undefined;
  const body = form === undefined || given === undefined ? undefined : bodyText(given, form.form);
  if (body !== undefined) headers["content-type"] = form!.type;
  const url = urlOf(server, filled, query);
  return { url, method, headers, ...(body !== undefined && { body }) };
}

function urlOf(server: URL, path: string, query: readonly string[]): string {
  // The URL standard would resolve such a segment, also in its encoded form.
  const dots = path.split("/").find((segment) => /^(\.|%2e){1,2}$/i.test(segment));
  if (dots !== undefined) throw invalid(`the path ${quote(path, 200)} leads to another one`);
  if (/[{}\\]/.test(path)) throw invalid(`the path ${quote(path, 200)} is not complete`);
  const base = server.pathname.replace(/\/$/, "");
  const url = new URL(
    `${server.origin}${base}${path}${query.length > 0 ? `?${query.join("&")}` : ""}`,
  );
  if (url.origin !== server.origin || !url.pathname.startsWith(base)) {
    throw invalid(`the path ${quote(path, 200)} leads to another place`);
  }
  return url.href;
}

function pathText(value: unknown, { name, argument, isJson }: ApiParameter): string {
  const text = isJson ? encode(JSON.stringify(value), argument) : simple(value, argument);
  // Some servers decode a path before they resolve it.
  if (/(^|[\\/,])\.{1,2}([\\/,]|$)/.test(decodeURIComponent(text))) {
    throw invalid(
      `/${argument} must not contain "." or ".." as a part of the path, got ${
        quote(plain(value), 80)
      }`,
    );
  }
  if (text !== "") return text;
  throw invalid(`/${argument} must not be empty, because it is a part of the path {${name}}`);
}

/** A value in the style `simple`: items with commas between them. */
function simple(value: unknown, argument: string): string {
  if (Array.isArray(value)) return value.map((item) => encode(item, argument)).join(",");
  if (!isObject(value)) return encode(value, argument);
  return Object.entries(value)
    .map(([key, each]) => `${encode(key, argument)},${encode(each, argument)}`).join(",");
}

function queryTexts(value: unknown, parameter: ApiParameter): string[] {
  const { name, argument, style, explode, isJson } = parameter;
  const key = encode(name, argument);
  const text = (each: unknown) => encode(each, argument);
  if (isJson) return [`${key}=${text(JSON.stringify(value))}`];
  if (Array.isArray(value)) {
    const items = value.map(text);
    if (explode && style === "form") return items.map((item) => `${key}=${item}`);
    const sign = style === "spaceDelimited" ? "%20" : style === "pipeDelimited" ? "%7C" : ",";
    return [`${key}=${items.join(sign)}`];
  }
  if (!isObject(value)) return [`${key}=${text(value)}`];
  const fields = Object.entries(value);
  if (style === "deepObject") {
    return fields.map(([field, each]) => `${key}%5B${text(field)}%5D=${text(each)}`);
  }
  if (explode) return fields.map(([field, each]) => `${text(field)}=${text(each)}`);
  return [`${key}=${fields.map(([field, each]) => `${text(field)},${text(each)}`).join(",")}`];
}

function headerText(value: unknown, { argument, isJson }: ApiParameter): string {
  const text = isJson || isObject(value)
    ? JSON.stringify(value)
    : Array.isArray(value)
    ? value.map(plain).join(",")
    : plain(value);
  if (!NO_HEADER.test(text)) return text;
  throw invalid(`/${argument} must not contain line ends, controls or characters outside Latin-1`);
}

function bodyText(value: unknown, form: "json" | "form" | "text"): string {
  if (form === "json") return JSON.stringify(value);
  if (form === "text") return plain(value);
  const fields = Object.entries(isObject(value) ? value : {});
  return fields.flatMap(([name, each]) =>
    (Array.isArray(each) ? each : [each]).map((item) =>
      `${encode(name, "body")}=${encode(item, "body")}`
    )
  ).join("&");
}

function plain(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value) ?? "";
}

/** A value in the percent-encoding of a part of a URL. */
function encode(value: unknown, argument: string): string {
  try {
    return encodeURIComponent(plain(value));
  } catch {
    throw invalid(`/${argument} contains half of a character`);
  }
}

function invalid(why: string): Error {
  return new Error(`Invalid arguments: ${why}`);
}
