/** Attack N10 of docs/attacks.md: the key of a search provider is in no output. */
// tier: machine
import { expect } from "@std/expect";
import { executable } from "../../support/executable.ts";
import { Leaks } from "../../support/leaks.ts";
import { KEY, provided } from "./web_search_desk.ts";

Deno.test("web search > N10 the key is in no output, whatever the server does with it", async (t) => {
  const echo = (request: { headers: Headers }) =>
    request.headers.get("x-subscription-token") ?? request.headers.get("authorization") ?? "";
  const answers: [what: string, answer: (key: string) => Response][] = [
    [
      "an error that repeats it",
      (key) => Response.json({ detail: { error: `bad ${key}` } }, { status: 401 }),
    ],
    ["plain text that repeats it", (key) => new Response(key, { status: 500 })],
    [
      "a long text that repeats it",
      (key) => new Response(`${"x".repeat(290)}${key}`, { status: 500 }),
    ],
    ["results that repeat it", (key) =>
      Response.json({
        results: [{
          title: key,
          url: `https://a.example/?k=${encodeURIComponent(key)}`,
          content: key,
        }],
        web: { results: [{ title: key, url: "https://a.example/", description: key }] },
      })],
    ["no JSON", (key) => new Response(`{${key}`)],
    [
      "a redirect with it",
      (key) =>
        new Response(null, { status: 302, headers: { location: `https://evil.example/?${key}` } }),
    ],
    [
      "an invalid encoding",
      (key) => new Response(key, { headers: { "content-encoding": key.replace(/[^a-z]/gi, "") } }),
    ],
    [
      "an answer that is cut off",
      (key) => new Response(key, { headers: { "content-length": "9999" } }),
    ],
  ];
  const leaks = new Leaks();
  // A part of the key counts as the key.
  const parts = [KEY, encodeURIComponent(KEY), KEY.slice(0, 8), KEY.slice(-8)];
  for (const provider of ["brave", "tavily"] as const) {
    let [, current] = answers[0]!;
    await using here = await provided(
      provider,
      (_, { requests }) => current(echo(requests.at(-1)!)),
    );
    for (const [at, [what, answer]] of answers.entries()) {
      current = answer;
      const env = { BRAVE_API_KEY: KEY, TAVILY_API_KEY: KEY };
      const { output } = await here.search({ query: "rivers" }, env);
      expect(here.server.requests.length).toBe(at + 1);
      leaks.note(`${provider}: ${what}`, !parts.some((part) => output.includes(part)), output);
    }
  }
  // No server, a wrong port, no permission.
  await using here = await provided("brave", () => undefined);
  for (const endpoint of ["http://127.0.0.1:9", "http://169.254.169.254"]) {
    await here.config("search.endpoint", endpoint);
    for (const flag of ["--allow-net=127.0.0.1:9", "-A", "--allow-read"]) {
      const run = await new Deno.Command(executable, {
        args: [flag, "WebSearch", '{"query":"rivers"}'],
        env: { BRAVE_API_KEY: KEY },
      }).output();
      const output = new TextDecoder().decode(new Uint8Array([...run.stdout, ...run.stderr]));
      leaks.note(`${endpoint} ${flag}`, !output.includes(KEY), output);
    }
  }
  await leaks.report(t, answers.length * 2 + 6);
});
