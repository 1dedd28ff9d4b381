// deno-lint-ignore-file no-console
/** Attack N3 of docs/attacks.md, and TLS: names with unexpected addresses, in a test network. */
// tier: machine
import { fileURLToPath } from "node:url";
import { expect } from "@std/expect";
import { executable, temporaryDirectory } from "../../support/executable.ts";
import { has } from "../../support/programs.ts";
import { Leaks } from "../../support/leaks.ts";
import { addresses, type WorldCall, type WorldResult } from "./world.ts";

const SCRIPT = `
  set -e
  ip link set lo up
  for each in ${Object.values(addresses).filter((each) => !each.startsWith("127.")).join(" ")}; do
    ip addr add "$each/32" dev lo
  done
  ip addr add fd00::5/128 dev lo nodad
  mount --bind "$1/resolv.conf" /etc/resolv.conf
  mount --bind "$1/hosts" /etc/hosts
  exec "$2" run -A --quiet "$3" "$4"
`;

const shell = ["--map-root-user", "--net", "--mount", "sh", "-c"];

/** Why these tests cannot run on this machine, if they cannot. */
const obstacle = obstacleHere();
if (obstacle !== undefined) console.log(`skipped: ${obstacle}`);
const ignore = obstacle !== undefined || !has("openssl");

function obstacleHere(): string | undefined {
  if (Deno.build.os !== "linux") return "a test network needs Linux";
  try {
    const args = [...shell, "ip link set lo up && mount --bind /etc/hosts /etc/hosts"];
    const { success, stderr } = new Deno.Command("unshare", { args }).outputSync();
    const why = new TextDecoder().decode(stderr).trim();
    return success ? undefined : `a test network cannot be made: ${why}`;
  } catch (error) {
    return `a test network cannot be made: ${(error as Error).message}`;
  }
}

/** Makes calls in the test network of `world.ts`, each in its own process or all through a gateway. */
async function inWorld(
  calls: WorldCall[],
  { gateway = false }: { gateway?: boolean } = {},
): Promise<WorldResult[]> {
  using directory = temporaryDirectory();
  const { path } = directory;
  Deno.writeTextFileSync(`${path}/resolv.conf`, "nameserver 127.0.0.1\noptions timeout:30\n");
  Deno.writeTextFileSync(
    `${path}/hosts`,
    `127.0.0.1 localhost\n${addresses.private} listed.example\n`,
  );
  await makeCertificate(path);
  const trusting = calls.map((call) => ({
    ...call,
    env: Object.fromEntries(
      Object.entries(call.env ?? {}).map((
        [name, value],
      ) => [name, value.replace("$CERT", `${path}/cert.pem`)]),
    ),
  }));
  const order = JSON.stringify({ toolcall: executable, directory: path, calls: trusting, gateway });
  const world = fileURLToPath(new URL("world.ts", import.meta.url));
  const { success, stdout, stderr } = await new Deno.Command("unshare", {
    args: [...shell, SCRIPT, "sh", path, Deno.execPath(), world, order],
    // The runtime looks for a new version once a day, and the test network counts look-ups.
    env: { XDG_STATE_HOME: `${path}/state`, DENO_NO_UPDATE_CHECK: "1" },
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return JSON.parse(new TextDecoder().decode(stdout));
}

async function makeCertificate(directory: string): Promise<void> {
  const { success, stderr } = await new Deno.Command("openssl", {
    args: [
      ...[
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-days",
        "2",
        "-subj",
        "/CN=secure.example",
      ],
      ...["-addext", "subjectAltName=DNS:secure.example", "-addext", "basicConstraints=CA:FALSE"],
      ...["-keyout", `${directory}/key.pem`, "-out", `${directory}/cert.pem`],
    ],
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
}

/** Hosts whose addresses are not public. */
const INNER = [
  ...["private", "loop", "metadata", "provider", "nothing", "six", "mapped", "nat", "unique"],
  ...["listed", "rebound"],
].map((name) => `${name}.example`);

/** Calls that are refused only because of the address of the host. */
const REFUSED = [
  { host: "metadata.example", flags: ["--allow-net=metadata.example"] },
  { host: "nothing.example", flags: ["--allow-net=nothing.example:8080"] },
  { host: "private.example", flags: ["--allow-net=private.example", "--deny-net=10.0.0.0/8"] },
  { host: "public.example", flags: ["--allow-net", `--deny-net=${addresses.public}`] },
];

type Row = typeof REFUSED[number];

const callsOf = (rows: readonly Row[]) =>
  rows.map(({ host, flags }) => ({ url: `http://${host}:8080/`, flags }));

/** Counts the calls. A call that was not refused, or that reached a server, is a leak. */
function noteReached(leaks: Leaks, rows: readonly Row[], results: readonly WorldResult[]): void {
  for (const [at, { exit, text, reached }] of results.entries()) {
    const { host, flags } = rows[at]!;
    const isRefused = exit === 6 && Object.keys(reached).length === 0;
    leaks.note(`${host} ${flags}`, isRefused, `${exit} ${text} ${JSON.stringify(reached)}`);
  }
}

Deno.test({
  name: "network > N3 the addresses of names are checked too with a gateway to a resident server",
  ignore,
  async fn(t) {
    const unrestricted = ["--allow-net"];
    const all = [...INNER.map((host) => ({ host, flags: unrestricted })), ...REFUSED];
    const open = [
      { host: "both.example", flags: unrestricted },
      { host: "rebind.example", flags: unrestricted },
      { host: "private.example", flags: ["--allow-net=private.example"] },
    ];
    const results = await inWorld(callsOf([...all, ...open]), { gateway: true });
    const leaks = new Leaks();
    noteReached(leaks, all, results.slice(0, all.length));
    const [both, rebind, named] = results.slice(all.length);
    expect(both!.text).toContain(`answered by ${addresses.public} for both.example:8080`);
    expect(rebind!.text).toContain(`answered by ${addresses.public}`);
    expect(rebind!.lookups).toEqual({ "rebind.example": 1 });
    expect([both!.reached, rebind!.reached]).toEqual([{ public: 1 }, { public: 1 }]);
    expect([named!.exit, named!.reached]).toEqual([0, { private: 1 }]);
    await leaks.report(t, all.length);
  },
});

Deno.test({
  name: "network > N3 the addresses of a name are checked, and only they are used",
  ignore,
  async fn(t) {
    const flagSets = [["--allow-net"], ["-A"], ["--allow-net=:8080"], ["--allow-net=*.example"]];
    const refused = INNER.flatMap((host) => flagSets.map((flags) => ({ host, flags })));
    const all = [...refused, ...REFUSED];
    const leaks = new Leaks();
    noteReached(leaks, all, await inWorld(callsOf(all)));
    await t.step(
      "a name with public and private addresses is fetched only from the public one",
      async () => {
        for (const flags of [["--allow-net"], ["-A"]]) {
          const [result] = await inWorld(callsOf([{ host: "both.example", flags }]));
          expect(result!.text).toContain(`answered by ${addresses.public} for both.example:8080`);
          expect(result!.reached).toEqual({ public: 1 });
        }
      },
    );
    await t.step("a name whose addresses change is looked up only once", async () => {
      for (const flags of [["--allow-net"], ["--allow-net=rebind.example"]]) {
        const [result] = await inWorld(callsOf([{ host: "rebind.example", flags }]));
        expect(result!.text).toContain(`answered by ${addresses.public}`);
        expect(result!.lookups).toEqual({ "rebind.example": 1 });
        expect(result!.reached).toEqual({ public: 1 });
      }
    });
    await t.step("a flag that names the host opens its private address", async () => {
      const rows = ["private.example", "loop.example", "listed.example", "unique.example"]
        .map((host) => ({ host, flags: [`--allow-net=${host}`] }));
      const results = await inWorld(callsOf(rows));
      expect(results.map(({ exit }) => exit)).toEqual([0, 0, 0, 0]);
      expect(results.map(({ reached }) => Object.keys(reached).join()))
        .toEqual(["private", "loopback", "private", "unique"]);
      const flags = [`--allow-net=metadata.example,${addresses.metadata}`];
      const [result] = await inWorld(callsOf([{ host: "metadata.example", flags }]));
      expect(result!.reached).toEqual({ metadata: 1 });
    });
    await t.step("the next address is tried if an address does not answer", async () => {
      const [result] = await inWorld(callsOf([{ host: "dead.example", flags: ["--allow-net"] }]));
      expect(result!.reached).toEqual({ public: 1 });
    });
    await t.step(
      "N5 a grant of a name covers only that name, in upper and lower case",
      async () => {
        const flags = ["--allow-net=allowed.example"];
        const results = await inWorld([
          { url: "http://ALLOWED.example.:8080/", flags },
          { url: "http://allowed.example.evil.example:8080/", flags },
          { url: "http://allowed.example@evil.example:8080/", flags },
          { url: "http://unknown.example:8080/", flags: ["--allow-net"] },
        ]);
        expect(results.map(({ exit }) => exit)).toEqual([0, 6, 5, 1]);
        expect(results.map(({ reached }) => reached)).toEqual([{ public: 1 }, {}, {}, {}]);
        expect(results[0]!.text).toContain("for allowed.example:8080");
        expect(results[3]!.text).toContain("its name is not known");
      },
    );
    await leaks.report(t, all.length);
  },
});

Deno.test({
  name: "network > a certificate is verified for the name, and no variable turns that off",
  ignore,
  async fn() {
    const trust = { NODE_EXTRA_CA_CERTS: "$CERT" };
    const flags = ["--allow-net"];
    const off = { NODE_TLS_REJECT_UNAUTHORIZED: "0" };
    const cases: [url: string, env: Record<string, string>, says: string, exit: number][] = [
      ["https://secure.example/", trust, "answered by 93.184.216.34 for secure.example", 0],
      [
        "https://secure.example/",
        { DENO_TLS_CA_STORE: "system", SSL_CERT_FILE: "$CERT" },
        "for secure.example",
        0,
      ],
      ["http://secure.example/", trust, "https://secure.example/", 0],
      ["http://secure.example:80/", trust, "URL: http://secure.example/", 0],
      ["http://secure.example:8080/", trust, "for secure.example:8080", 0],
      ["https://secure.example/", {}, "certificate", 1],
      ["https://secure.example/", off, "certificate", 1],
      ["https://otherwise.example/", trust, "otherwise.example", 1],
      ["https://otherwise.example/", { ...trust, ...off }, "otherwise.example", 1],
      ["https://93.184.216.34/", trust, "93.184.216.34", 1],
    ];
    // Each URL is different, because a page that was fetched before comes from a cache.
    const calls = cases.map(([url, env], at) => ({ url: `${url}?${at}`, env, flags }));
    const results = await inWorld(calls);
    for (const [at, [url, env, says, exit]] of cases.entries()) {
      const result = results[at]!;
      expect({ url, env, exit: result.exit }).toEqual({ url, env, exit });
      expect(result.text).toContain(says);
      // A request needs a handshake first.
      if (exit !== 0) expect(result.reached).toEqual({});
    }
  },
});
