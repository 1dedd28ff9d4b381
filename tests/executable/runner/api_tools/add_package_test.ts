/** npm packages that the executable adds from a registry of this test. */
// tier: machine
import { expect } from "@std/expect";
import { tarGz } from "../../../../scripts/release/archive.ts";
import { executable, temporaryDirectory } from "../../../support/executable.ts";
import { has } from "../../../support/programs.ts";

const PROGRAM = "console.log(`Hello, ${process.argv[2]}!`);\n";

const hello = { description: "Greets.", run: ["hello", "{name}"] };

/** The packages of the registry, each with its `package.json` without the version. */
const packages: Record<string, Record<string, unknown>> = {
  "hello-tool": {
    bin: { hello: "bin/hello.js" },
    scripts: { postinstall: "touch ../../../scripts-ran" },
    toolcall: {
      commands: {
        hello: {
          ...hello,
          inputSchema: { type: "object", properties: { name: { type: "string" } } },
        },
      },
    },
  },
  "@acme/hello-server": { bin: "./bin/hello.js" },
  "outside": { bin: { outside: "../../evil.js" } },
  "two-programs": { bin: { one: "bin/hello.js", two: "bin/hello.js" } },
  "no-program": {},
  "tampered": { bin: "bin/hello.js" },
};

function registry() {
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, ({ url }) => {
    const { pathname, origin } = new URL(url);
    const name = decodeURIComponent(pathname.slice(1)).replace(/\/-\/.*/, "");
    const fields = packages[name];
    if (fields === undefined) return Response.json({}, { status: 404 });
    const manifest = { name, version: "1.2.3", ...fields };
    const archive = new Uint8Array(tarGz("package/", [
      { name: "package.json", content: JSON.stringify(manifest) },
      { name: "bin/hello.js", content: PROGRAM },
    ]));
    if (pathname.includes("/-/")) return new Response(archive);
    return crypto.subtle.digest("SHA-512", archive).then((hash) => {
      const bytes = new Uint8Array(hash);
      if (name === "tampered") bytes[0]! ^= 1;
      const dist = {
        tarball: `${origin}/${name}/-/x-1.2.3.tgz`,
        integrity: `sha512-${bytes.toBase64()}`,
      };
      return Response.json({
        ...{ name, "dist-tags": { latest: "1.2.3" } },
        versions: { "1.2.3": { ...manifest, dist } },
      });
    });
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}/`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

Deno.test({
  name:
    "toolcall add npm: > the package is shown, and --yes installs a fixed version without its scripts",
  ignore: !has("npm") || !has("node"),
  async fn() {
    await using server = registry();
    using directory = temporaryDirectory();
    const { path } = directory;
    const run = async (...args: string[]) => {
      const output = await new Deno.Command(executable, {
        args,
        cwd: path,
        stdin: "null",
        env: {
          ...{ XDG_CONFIG_HOME: `${path}/home`, npm_config_registry: server.url },
          npm_config_cache: `${path}/cache`,
          npm_config_fetch_retries: "0",
        },
      }).output();
      const [stdout, stderr] = [output.stdout, output.stderr]
        .map((bytes) => new TextDecoder().decode(bytes)) as [string, string];
      return { code: output.code, stdout, stderr };
    };
    const exists = (name: string) => Deno.statSync(`${path}/${name}`).isFile;

    const shown = await run("add", "npm:hello-tool");
    expect(shown.code).toBe(1);
    expect(shown.stdout).toMatch(/"hello-tool@1\.2\.3", sha512-/);
    expect(shown.stdout).toContain("Permissions: --allow-run=node");
    expect(() => exists("toolcall.json")).toThrow(Deno.errors.NotFound);

    expect(await run("add", "npm:hello-tool@^1.0.0", "--yes")).toMatchObject({ code: 0 });
    expect(() => exists("toolcall/packages/scripts-ran")).toThrow(Deno.errors.NotFound);
    const called = await run("hello", "name=Ada", "--allow-run=node", "--allow-read=.");
    expect(called.stdout).toContain("Hello, Ada!");

    expect(await run("add", "npm:@acme/hello-server", "--yes")).toMatchObject({ code: 0 });
    const config = JSON.parse(Deno.readTextFileSync(`${path}/toolcall.json`));
    expect(config.mcpServers).toEqual({
      "hello-server": {
        command: "node",
        args: [
          `${path}/toolcall/packages/hello-server/node_modules/@acme/hello-server/bin/hello.js`,
        ],
      },
    });

    const refused: readonly (readonly [args: string[], why: RegExp])[] = [
      [["npm:hello-tool"], /has it already/],
      [["npm:outside"], /no one program/],
      [["npm:two-programs"], /its programs are one, two/],
      [["npm:no-program"], /it has no program/],
      [["npm:missing"], /Cannot add "missing"/],
      [["npm:tampered"], /Cannot add "tampered@1\.2\.3"/],
      [["npm:@acme/hello-server", "../../x"], /Cannot use the name/],
      [["npm:--prefix=/tmp"], /no npm package/],
      [["npm:a b"], /no npm package/],
      [["npm:file:../x"], /no npm package/],
    ];
    for (const [args, why] of refused) {
      const { code, stderr } = await run("add", ...args, "--yes");
      expect({ args, isError: code !== 0 }).toEqual({ args, isError: true });
      expect(stderr).toMatch(why);
    }
    const after = JSON.parse(Deno.readTextFileSync(`${path}/toolcall.json`));
    expect(after).toEqual(config);
  },
});
