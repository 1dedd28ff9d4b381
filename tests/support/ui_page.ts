/** Starts `toolcall ui` for tests, and a Chromium that shows the page. */
import { type Browser, chromium, type Page } from "playwright-core";
import { executable } from "./executable.ts";

/** The time that a step of a test may take on a busy machine, in milliseconds. */
export const TIMEOUT_MS = 90_000;

/** The path of the system's Chromium, or undefined if it is not installed. */
export const chromiumPath = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find((path) => {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
});

/** Prints that tests of the page are skipped if Chromium is missing. */
export function isBrowserMissing(): boolean {
  if (chromiumPath !== undefined) return false;
  // deno-lint-ignore no-console -- A skipped test must be noticed.
  console.log("skipped: the page, because Chromium is not installed (apt-get install chromium)");
  return true;
}

/** A server of the page. */
export interface PageProcess extends AsyncDisposable {
  /** The address with the token. */
  url: string;
  /** The origin of the server. */
  origin: string;
  /** The token. */
  token: string;
  /** Sends a request to the API. */
  api(path: string, init?: RequestInit): Promise<Response>;
}

/** Starts `toolcall ui` with these flags on a free port. */
export async function startPage(
  flags: readonly string[],
  command: readonly string[] = ["ui", "--no-open"],
  { program = executable, cwd }: { program?: string; cwd?: string } = {},
): Promise<PageProcess> {
  const child = new Deno.Command(program, {
    args: [...command, ...flags],
    ...(cwd !== undefined && { cwd }),
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const reader = child.stderr.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  const address = /(http:\/\/\S+?)\/(?:#token=(\S+)|mcp)\n/;
  while (!address.test(text)) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`The server of the page ended: ${text}`);
    text += value;
  }
  // The rest is read too, because a full pipe would block the server.
  const rest = (async () => {
    while (!(await reader.read()).done);
  })();
  const [, origin = "", given] = address.exec(text)!;
  // A server with --no-token prints no token.
  const token = given ?? /for this run: (\w+)/.exec(text)?.[1] ?? "";
  return {
    url: `${origin}/#token=${token}`,
    origin,
    token,
    api: (path, init = {}) =>
      fetch(`${origin}/api/${path}`, {
        ...init,
        headers: { authorization: `Bearer ${token}`, ...init.headers },
      }),
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await child.status;
      await rest;
    },
  };
}

/** A page that is open in the browser. */
export interface OpenPage extends AsyncDisposable {
  /** The page. */
  page: Page;
  /** The errors of scripts, and the refusals of the content security policy. */
  errors: string[];
}

/** Opens an address in Chromium. */
export async function openPage(url: string): Promise<OpenPage> {
  const browser: Browser = await chromium.launch({
    executablePath: chromiumPath!,
    args: ["--no-sandbox", "--headless"],
    timeout: TIMEOUT_MS,
  });
  const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
  page.setDefaultTimeout(TIMEOUT_MS);
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
  });
  await page.goto(url);
  return { page, errors, [Symbol.asyncDispose]: () => browser.close() };
}
