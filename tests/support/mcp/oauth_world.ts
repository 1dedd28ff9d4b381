/** An authorization server, an MCP server that needs its tokens, and a configuration for them. */
import { fileURLToPath } from "node:url";
import { executable, type Run } from "../executable.ts";
import { authorizationServer } from "../packages.ts";
import { killWhenStuck } from "../wait.ts";
import { type World, world } from "./client_world.ts";

const program = fileURLToPath(new URL("servers/oauth.ts", import.meta.url));

/** The two servers. */
export interface AuthServers extends AsyncDisposable {
  /** The origin of the authorization server. */
  issuer: string;
  /** The address of the MCP server. */
  resource: string;
  /** Returns how often each event happened. */
  counts(): Promise<Record<string, number>>;
  /** Ends all access tokens, and with `grants` the refresh tokens too. */
  revoke(how?: "grants"): Promise<void>;
}

/** Starts the servers with options of `servers/oauth.ts`. */
export async function authServers(options: Record<string, unknown> = {}): Promise<AuthServers> {
  const { command, args, env } = authorizationServer(program, JSON.stringify(options));
  const child = new Deno.Command(command, { args, env, stdout: "piped", stderr: "null" }).spawn();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  const guard = killWhenStuck(child);
  while (!/^\{.*\}$/m.test(text)) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`The authorization server does not start: ${text}`);
    text += value;
  }
  guard[Symbol.dispose]();
  const { issuer, resource } = JSON.parse(/^\{.*\}$/m.exec(text)![0]);
  const get = async (path: string) => await (await fetch(`${issuer}${path}`)).json();
  return {
    ...{ issuer, resource },
    counts: () => get("/counts"),
    revoke: async (how) => await get(how === undefined ? "/revoke" : "/revoke?grants"),
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await reader.cancel().catch(() => {});
      await child.status;
    },
  };
}

/** A world whose server `it` is the MCP server. */
export function oauthWorld(
  { resource }: AuthServers,
  oauth?: Record<string, unknown>,
  environment: Record<string, string> = {},
): World {
  return world(
    () => ({ it: { url: resource, startTimeout: 120_000, ...(oauth && { oauth }) } }),
    environment,
  );
}

/** A running login, as the user sees it. */
export interface RunningLogin {
  /** The address that was printed. */
  address: URL;
  /** Writes a line to its stdin. */
  paste(line: string): Promise<void>;
  /** Ends its stdin, and waits for its end. */
  end(): Promise<Run>;
}

/** Starts `mcp login it` and waits for the address. Resolves to the run if it ends before. */
export async function startLogin(
  { path }: World,
  flags: string[],
): Promise<RunningLogin | Run> {
  const child = new Deno.Command(executable, {
    args: ["mcp", "login", "it", "--no-open", `--state-dir=${path}/state`, ...flags],
    ...{ cwd: path, stdin: "piped", stdout: "piped", stderr: "piped" },
  }).spawn();
  const input = child.stdin.getWriter();
  const stdout = new Response(child.stdout).text();
  const reader = child.stderr.pipeThrough(new TextDecoderStream()).getReader();
  let stderr = "";
  const readMore = async (): Promise<boolean> => {
    const { value, done } = await reader.read();
    stderr += value ?? "";
    return !done;
  };
  const guard = killWhenStuck(child);
  const end = async () => {
    await input.close().catch(() => {});
    while (await readMore());
    const { code } = await child.status;
    guard[Symbol.dispose]();
    return { code, stdout: await stdout, stderr };
  };
  while (!stderr.includes("Waiting for the login")) if (!await readMore()) return await end();
  return {
    address: new URL(/^http\S+$/m.exec(stderr)![0]),
    paste: (line) => input.write(new TextEncoder().encode(`${line}\n`)),
    end,
  };
}

/** Follows the redirects as a browser would. Returns the address of the callback. */
export async function browse(address: URL): Promise<URL> {
  const callback = address.searchParams.get("redirect_uri")!;
  const cookies = new Map<string, string>();
  let url = address;
  const seen: string[] = [];
  for (let step = 0; step < 20; step++) {
    const cookie = Array.from(cookies, ([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(url, { headers: { cookie }, redirect: "manual" });
    const text = await response.text();
    for (const each of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(each)!;
      cookies.set(name!, value!);
    }
    const location = response.headers.get("location");
    if (location === null) throw new Error(`No way to go on: ${response.status} ${text}`);
    url = new URL(location, url);
    seen.push(`${response.status} ${url}`);
    if (url.href.startsWith(callback)) return url;
  }
  throw new Error(`The login goes round in circles: ${seen.join("\n")}`);
}

/** All files below a directory. */
export function filesBelow(directory: string): { path: string; mode: number; text: string }[] {
  return [...Deno.readDirSync(directory)].flatMap(({ name, isDirectory }) => {
    const path = `${directory}/${name}`;
    if (isDirectory) return filesBelow(path);
    return [{ path, mode: Deno.lstatSync(path).mode ?? 0, text: Deno.readTextFileSync(path) }];
  });
}

/** Runs a whole login: the browser opens the callback. */
export async function logIn(place: World, { issuer }: AuthServers, flags: string[] = []) {
  const login = await startLogin(place, [`--auth-server=${issuer}`, ...flags]);
  if (!("address" in login)) throw new Error(login.stderr);
  const response = await fetch(await browse(login.address));
  const page = await response.text();
  return { ...await login.end(), page };
}
