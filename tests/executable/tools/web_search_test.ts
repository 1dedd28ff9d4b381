import { expect } from "@std/expect";
import { KEY, provided, type Provider } from "./web_search_desk.ts";

/** Answers as the providers' documentation shows them. */
const searxngAnswer = {
  query: "rivers",
  number_of_results: 0,
  results: [
    {
      url: "https://www.example.com/rivers",
      title: "Rivers \u001b[31mof\u202e the world",
      content: "All  of\nthem",
      publishedDate: "2024-05-01T00:00:00",
      engine: "duckduckgo",
      parsed_url: ["https", "www.example.com", "/rivers", "", "", ""],
      score: 1.5,
      category: "general",
    },
    { url: "https://notexample.com/", title: "Not it", content: "", engine: "bing" },
    { url: "https://example.org/a", title: "Another", content: "x".repeat(900), engine: "bing" },
    { url: "javascript:alert(1)", title: "A script", content: "" },
    { url: null, title: 5, content: {} },
    "no object",
  ],
  answers: [],
  corrections: [],
  infoboxes: [],
  suggestions: [],
  unresponsive_engines: [["google", "Suspended: CAPTCHA"], ["qwant", "timeout"]],
};

const braveAnswer = {
  type: "search",
  query: { original: "rivers", more_results_available: true },
  web: {
    type: "search",
    results: [
      {
        title: "Rivers &amp; lakes",
        url: "https://example.com/rivers",
        is_source_local: false,
        description: "All of the <strong>rivers</strong> there are",
        page_age: "2024-05-01T10:00:00",
        age: "May 1, 2024",
        meta_url: { scheme: "https", netloc: "example.com" },
      },
      { title: "Lakes", url: "https://lakes.example.org/", description: "Lakes" },
    ],
    family_friendly: true,
  },
};

const tavilyAnswer = {
  query: "rivers",
  follow_up_questions: null,
  answer: null,
  images: [],
  results: [
    {
      title: "Rivers",
      url: "https://example.com/rivers",
      content: "All of them",
      score: 0.98,
      raw_content: null,
      published_date: "Wed, 01 May 2024 10:00:00 GMT",
    },
  ],
  response_time: 1.1,
};

Deno.test("web search > SearXNG is searched through its JSON API", async () => {
  await using here = await provided("searxng", () => Response.json(searxngAnswer));
  const all = await here.search({ query: "rivers & lakes" });
  expect(all.exit).toBe(0);
  expect(all.text).toBe(
    'SearXNG has 3 results for "rivers & lakes"\n\n' +
      "1. Rivers [31mof the world\n   https://www.example.com/rivers\n" +
      "   2024-05-01T00:00:00\n   All of them\n\n" +
      "2. Not it\n   https://notexample.com/\n\n" +
      `3. Another\n   https://example.org/a\n   ${"x".repeat(500)}…\n\n` +
      "[Engines without an answer: google: Suspended: CAPTCHA; qwant: timeout]",
  );
  const { path, headers } = here.server.requests[0]!;
  expect(path).toBe("/search?q=rivers+%26+lakes&format=json");
  expect(headers.get("authorization")).toBe(null);
});

Deno.test("web search > results are restricted to domains and their subdomains", async () => {
  await using here = await provided("searxng", () => Response.json(searxngAnswer));
  const cases: [args: Record<string, unknown>, query: string, urls: string[]][] = [
    [{ allowed_domains: ["Example.com."] }, "rivers site:example.com", [
      "https://www.example.com/rivers",
    ]],
    [
      { allowed_domains: ["example.com", "example.org"] },
      "rivers (site:example.com OR site:example.org)",
      ["https://www.example.com/rivers", "https://example.org/a"],
    ],
    [
      { blocked_domains: ["*.example.com", "example.org"] },
      "rivers -site:example.com -site:example.org",
      ["https://notexample.com/"],
    ],
    [{ allowed_domains: ["com"] }, "rivers site:com", [
      "https://www.example.com/rivers",
      "https://notexample.com/",
    ]],
    [{ allowed_domains: ["nowhere.example"] }, "rivers site:nowhere.example", []],
    [{ allowed_domains: [], blocked_domains: [] }, "rivers", [
      ...["https://www.example.com/rivers", "https://notexample.com/", "https://example.org/a"],
    ]],
  ];
  for (const [args, query, urls] of cases) {
    const { text } = await here.search({ query: "rivers", ...args });
    expect({ args, urls: text.match(/https:\S+/g) ?? [] }).toEqual({ args, urls });
    const asked = new URL(here.server.requests.at(-1)!.path, "http://x").searchParams.get("q");
    expect(asked).toBe(query);
    if (urls.length === 0) expect(text).toContain("SearXNG has nothing for");
  }
  const wrong: [args: Record<string, unknown>, says: string][] = [
    [{ allowed_domains: ["a.com"], blocked_domains: ["b.com"] }, "give one of them"],
    [{ allowed_domains: ["https://a.com/x"] }, "such as example.com"],
    [{ blocked_domains: ["a.com OR site:b.com"] }, "such as example.com"],
    [{ allowed_domains: ["a.com) OR (x"] }, "such as example.com"],
    [{ query: "" }, "/query"],
    [{ query: "x".repeat(1001) }, "/query"],
  ];
  const before = here.server.requests.length;
  for (const [args, says] of wrong) {
    const { exit, text } = await here.search({ query: "rivers", ...args });
    expect({ args, exit }).toEqual({ args, exit: 5 });
    expect(text).toContain(says);
  }
  expect(here.server.requests.length).toBe(before);
});

Deno.test("web search > the key is sent to Brave in its own header, and to Tavily as a bearer token", async () => {
  await using brave = await provided("brave", () => Response.json(braveAnswer));
  const found = await brave.search({ query: "rivers", blocked_domains: ["a.com"] }, {
    BRAVE_API_KEY: `${KEY}\n`,
  });
  expect(found.text).toBe(
    'Brave has 2 results for "rivers" without a.com\n\n' +
      "1. Rivers & lakes\n   https://example.com/rivers\n   May 1, 2024\n" +
      "   All of the rivers there are\n\n2. Lakes\n   https://lakes.example.org/\n   Lakes",
  );
  const asked = brave.server.requests[0]!;
  const { pathname, searchParams } = new URL(asked.path, "http://x");
  expect(pathname).toBe("/res/v1/web/search");
  expect(searchParams.get("q")).toBe("rivers -site:a.com");
  expect(searchParams.get("count")).toBe("20");
  expect(asked.headers.get("x-subscription-token")).toBe(KEY);

  await using tavily = await provided("tavily", () => Response.json(tavilyAnswer));
  await tavily.config("search.key_variable", "MY_OWN_KEY");
  const other = await tavily.search({ query: "rivers", allowed_domains: ["example.com"] }, {
    MY_OWN_KEY: KEY,
    TAVILY_API_KEY: "another",
  });
  expect(other.text).toContain("1. Rivers\n   https://example.com/rivers\n   Wed, 01 May 2024");
  const { path, headers, body } = tavily.server.requests[0]!;
  expect(path).toBe("/search");
  expect(headers.get("authorization")).toBe(`Bearer ${KEY}`);
  expect(JSON.parse(body)).toEqual({
    query: "rivers",
    max_results: 20,
    include_domains: ["example.com"],
  });
});

Deno.test("web search > an error of a provider is reported with advice", async () => {
  const inAnHour = new Date(Date.now() + 3_600_000).toUTCString();
  const brave429 = {
    type: "ErrorResponse",
    error: { code: "RATE_LIMITED", detail: "Request rate limit exceeded for plan.", status: 429 },
  };
  const cases: [provider: Provider, answer: Response, says: string[]][] = [
    ["searxng", new Response("<html>Forbidden", { status: 403 }), [
      "answered 403;",
      "formats: [html, json]",
    ]],
    ["searxng", new Response("<html>the page"), ["is not JSON"]],
    ["searxng", new Response(null, { status: 500 }), ["answered 500"]],
    [
      "searxng",
      new Response(null, { status: 301, headers: { location: "https://elsewhere.example/" } }),
      [
        ...["answered 301", "https://elsewhere.example/", "search.endpoint"],
      ],
    ],
    [
      "brave",
      Response.json(brave429, {
        status: 429,
        headers: { "x-ratelimit-reset": "1, 1419704", "x-ratelimit-remaining": "0, 900" },
      }),
      ["answered 429", "rate limit exceeded for plan", "try again in 1 second"],
    ],
    [
      "brave",
      Response.json(brave429, {
        status: 429,
        headers: { "x-ratelimit-reset": "1, 1419704", "x-ratelimit-remaining": "0, 0" },
      }),
      ["try again in 1,419,704 seconds"],
    ],
    [
      "brave",
      Response.json({
        error: {
          code: "SUBSCRIPTION_TOKEN_INVALID",
          detail: "The provided subscription token is invalid.",
          status: 422,
        },
      }, { status: 422 }),
      ["subscription token is invalid", "of a key that is not valid"],
    ],
    [
      "tavily",
      Response.json({ detail: { error: "Unauthorized: missing or invalid API key." } }, {
        status: 401,
      }),
      [
        ...["answered 401", "missing or invalid API key", '"TAVILY_API_KEY" is not valid there'],
      ],
    ],
    [
      "tavily",
      Response.json({ detail: { error: "Too many" } }, {
        status: 429,
        headers: { "retry-after": "60" },
      }),
      [
        "try again in 60 seconds",
      ],
    ],
    ["tavily", new Response("busy", { status: 429, headers: { "retry-after": inAnHour } }), [
      "try again in 3,",
    ]],
    ["tavily", new Response("busy", { status: 429 }), ['"busy"', "try again later"]],
    [
      "tavily",
      Response.json({ detail: { error: "This request exceeds your plan's set usage limit." } }, {
        status: 432,
      }),
      [
        ...["usage limit", "plan is reached"],
      ],
    ],
  ];
  for (const provider of ["searxng", "brave", "tavily"] as const) {
    const ofProvider = cases.filter(([each]) => each === provider);
    let [, current] = ofProvider[0]!;
    await using here = await provided(provider, () => current.clone());
    for (const [, answer, says] of ofProvider) {
      current = answer;
      const env = { BRAVE_API_KEY: KEY, TAVILY_API_KEY: KEY };
      const { exit, text } = await here.search({ query: "rivers" }, env);
      expect({ says, exit }).toEqual({ says, exit: 1 });
      for (const words of says) expect(text).toContain(words);
      expect(text).not.toContain(KEY);
    }
  }
});

Deno.test("web search > a missing setting is reported with the way to set it", async () => {
  await using here = await provided("brave", () => Response.json(braveAnswer));
  const none = await here.search({ query: "rivers" });
  expect(none.exit).toBe(8);
  expect(none.text).toContain("environment variable BRAVE_API_KEY");
  const odd = await here.search({ query: "rivers" }, { BRAVE_API_KEY: "a key\u00e9" });
  expect(odd.exit).toBe(8);
  expect(odd.output).not.toContain("a key");
  await here.config("search.endpoint", "not a URL");
  const wrong = await here.search({ query: "rivers" }, { BRAVE_API_KEY: KEY });
  expect(wrong.exit).toBe(8);
  expect(wrong.text).toContain('Config \'{"setting":"search.endpoint"');
  await here.config("search.provider", "searxng");
  await here.config("search.endpoint", "");
  expect((await here.search({ query: "rivers" })).text).toContain("has no usual address");
  await here.config("search.provider", "");
  const unset = await here.search({ query: "rivers" });
  expect(unset.exit).toBe(8);
  expect(unset.text).toContain('Config \'{"setting":"search.provider","value":"searxng"}\'');
  expect(here.server.requests).toEqual([]);
});

Deno.test("web search > the tags of highlighted words are removed, and other brackets are kept", async () => {
  const marked = {
    title: "The <b>Vec&lt;T&gt;</b> type",
    content: "snip <b>1</b>, <em class='x'>2</em><br>A&amp;B Vec<T>",
  };
  for (const provider of ["searxng", "tavily"] as const) {
    const results = [{ url: "https://example.org/", ...marked }];
    await using here = await provided(provider, () => Response.json({ results }));
    if (provider === "tavily") await here.config("search.key_variable", "SEARCH_TEST_KEY");
    const { text } = await here.search({ query: "x" }, { SEARCH_TEST_KEY: KEY });
    expect(text).toBe(
      `${provider === "tavily" ? "Tavily" : "SearXNG"} has 1 result for "x"\n\n` +
        "1. The Vec<T> type\n   https://example.org/\n   snip 1, 2 A&B Vec<T>",
    );
  }
});
