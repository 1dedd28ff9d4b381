import { expect } from "@std/expect";
import type { TokenRecord } from "../../../../../src/runner/mcp/oauth/token_record.ts";
import { TokenStore } from "../../../../../src/runner/mcp/oauth/token_store.ts";
import { temporaryDirectory } from "../../../../support/temporary_directory.ts";

const ID = "a".repeat(64);

const record: TokenRecord = {
  ...{ server: "it", url: "https://mcp.example.com/mcp", grant: "authorization_code" },
  ...{ issuer: "https://a.example", tokenEndpoint: "https://a.example/token" },
  ...{ authMethods: ["none"], clientId: "client" },
  secrets: { accessToken: "the-access-token", refreshToken: "the-refresh-token" },
};

const grants = { all: false, allow: {}, deny: {} };

Deno.test({
  name: "token store > a keyring keeps the key, and the file cannot be read without it",
  ignore: Deno.build.os !== "linux",
  async fn() {
    using directory = temporaryDirectory();
    const { path } = directory;
    // The search for programs looks at PATH once in a process, so another process runs the store.
    const keyring =
      `#!/bin/sh\ncase $1 in store) cat >"${path}/key" ;; *) cat "${path}/key" ;; esac\n`;
    Deno.mkdirSync(`${path}/bin`);
    Deno.writeTextFileSync(`${path}/bin/secret-tool`, keyring, { mode: 0o755 });
    const module = new URL("../../../../../src/runner/mcp/oauth/token_store.ts", import.meta.url);
    const run = async (script: string, env: Record<string, string>) => {
      const store = `const store = new TokenStore("${path}/state", ${JSON.stringify(grants)});`;
      const code = `import { TokenStore } from "${module.href}"; ${store} ${script}`;
      const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
        args: ["eval", "--quiet", code],
        env: { PATH: `${path}/bin:${Deno.env.get("PATH")}`, ...env },
      }).output();
      return new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
    };
    const session = { DBUS_SESSION_BUS_ADDRESS: `unix:path=${path}/nowhere` };
    const write = `console.log(await store.write("${ID}", ${JSON.stringify(record)}))`;
    const read = `console.log(JSON.stringify((await store.read("${ID}", "LOGIN")).secrets))`;
    expect(await run(write, session)).toBe("true\n");
    const file = `${path}/state/oauth/${ID}.json`;
    expect(Deno.readTextFileSync(file)).not.toContain('-token"');
    expect(Deno.lstatSync(file).mode! & 0o777).toBe(0o600);
    expect(Deno.readTextFileSync(`${path}/key`)).toMatch(/^[0-9a-f]{64}$/);
    expect(JSON.parse(await run(read, session))).toEqual(record.secrets);
    Deno.writeTextFileSync(`${path}/key`, "0".repeat(64));
    expect(await run(read, session)).toContain("Unlock it, or run LOGIN");
  },
});

Deno.test("token store > a file or a directory that others could use is refused", async () => {
  using directory = temporaryDirectory();
  const { path } = directory;
  const store = new TokenStore(path, grants);
  const file = `${path}/oauth/${ID}.json`;
  Deno.mkdirSync(`${path}/oauth`, { mode: 0o700 });
  Deno.writeTextFileSync(`${path}/elsewhere`, JSON.stringify(record), { mode: 0o600 });
  const faults: [spoil: () => void, says: string][] = [
    [() => Deno.symlinkSync(`${path}/elsewhere`, file), "not a regular file"],
    [() => Deno.writeTextFileSync(file, "{}", { mode: 0o644 }), "other users can read"],
  ];
  for (const [spoil, says] of faults) {
    spoil();
    await expect(store.read(ID, "")).rejects.toThrow(says);
    Deno.removeSync(file);
  }
  Deno.chmodSync(`${path}/oauth`, 0o755);
  const { signal } = new AbortController();
  await expect(store.lock(ID, signal)).rejects.toThrow("other users can enter it");
});
