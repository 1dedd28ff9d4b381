/// <reference lib="dom" />
/** The requests of the page to its server. */
import { useEffect, useState } from "preact/hooks";
import { isReady, problem, token } from "./state.ts";

/** Sends a request with the token. */
export async function request(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { authorization: `Bearer ${token.value}`, "content-type": "application/json" };
  const response = await fetch(`/api/${path}`, { ...init, headers });
  if (response.status === 401) {
    isReady.value = false;
    problem.value = "The token is missing or wrong.";
  }
  return response;
}

/** Sends a request and returns its JSON. Throws the error that the server names. */
export async function api<T>(
  path: string,
  body?: unknown,
  method = body === undefined ? "GET" : "POST",
): Promise<T> {
  const response = await request(path, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const data = await response.json();
  if (!response.ok) {
    throw new Error(
      typeof data.error === "string"
        ? data.error
        : data.error?.message ?? `Status ${response.status}`,
    );
  }
  return data;
}

/** Reads a response of server-sent events. */
export async function readEvents(response: Response, take: (event: string, data: unknown) => void) {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = "";;) {
    const { value, done } = await reader.read();
    if (done) return;
    text += value;
    const parts = text.split("\n\n");
    text = parts.pop()!;
    for (const part of parts) {
      const [, event, data] = /^event: (\w+)\ndata: (.*)$/s.exec(part) ?? [];
      if (event) take(event, JSON.parse(data!));
    }
  }
}

/** Loads a report once. */
export function useReport<T>(path: string): [T | undefined, string] {
  const [data, setData] = useState<T>();
  const [error, setError] = useState("");
  useEffect(() => {
    api<T>(path).then(setData, (why) => setError(why.message));
  }, []);
  return [data, error];
}
