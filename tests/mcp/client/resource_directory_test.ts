/** ReadMcpResourceDir: the directories of MCP servers, from their lists or from addresses. */
import { expect } from "@std/expect";
import { fileURLToPath } from "node:url";
import { world } from "../../support/mcp/client_world.ts";

const server = fileURLToPath(new URL("../../support/mcp/servers/directories.ts", import.meta.url));

const entry = (...args: string[]) => ({
  command: Deno.execPath(),
  args: ["run", "-A", "--quiet", "--no-config", server, ...args],
});

const place = () => world(() => ({ able: entry("directories"), plain: entry() }));

Deno.test("ReadMcpResourceDir > a server that can list a directory is asked, page by page", async () => {
  using here = place();
  const list = (uri: string) => here.call("ReadMcpResourceDir", { server: "able", uri });
  const guide = await list("docs://guide");
  expect([guide.exit, guide.text]).toEqual([
    0,
    "docs://guide/a.md (a.md, text/plain)\ndocs://guide/more (more, inode/directory)\n" +
    "docs://guide/unlisted.md (unlisted.md, text/plain)",
  ]);
  expect((await list("docs://empty")).text).toBe("The directory is empty");
  const missing = await list("docs://nowhere");
  expect(missing.exit).toBe(1);
  expect(missing.text).toContain("Not a directory");
});

Deno.test("ReadMcpResourceDir > the tool uses the addresses of resources if a server cannot list a directory", async () => {
  using here = place();
  const list = (uri: string, ...flags: string[]) =>
    here.call("ReadMcpResourceDir", { server: "plain", uri }, ["--allow-mcp=plain", ...flags]);
  const expected =
    "docs://guide/a.md (a.md, text/plain)\ndocs://guide/more (more, inode/directory)";
  for (const uri of ["docs://guide", "docs://guide/"]) {
    expect((await list(uri)).text).toBe(expected);
  }
  expect((await list("docs://")).text).toBe(
    "docs://guide (guide, inode/directory)\ndocs://x (x, text/plain)",
  );
  const { structuredContent } = await list("docs://guide/more", "--structured");
  expect(structuredContent).toEqual({
    resources: ["b.md", "c.md"].map((name) => (
      { uri: `docs://guide/more/${name}`, name, mimeType: "text/plain" }
    )),
  });
  const missing = await list("docs://nowhere");
  expect([missing.exit, missing.text]).toEqual([
    1,
    'Cannot list the directory "docs://nowhere": the server has no resource in it; ' +
    "ListMcpResources lists all its resources",
  ]);
});

Deno.test("ReadMcpResourceDir > the tool needs --allow-mcp, a server and an address", async () => {
  using here = place();
  const args = { server: "able", uri: "docs://guide" };
  const refused = await here.call("ReadMcpResourceDir", args, ["--allow-read", "--allow-net"]);
  expect(refused.exit).toBe(6);
  expect(refused.text).toContain("--allow-mcp=able");
  const wrong = await here.call("ReadMcpResourceDir", { server: "able" });
  expect(wrong.exit).toBe(5);
  expect(wrong.text).toContain("/uri: required");
  const unknown = await here.call("ReadMcpResourceDir", { ...args, server: "none" });
  expect(unknown.exit).toBe(8);
  expect(unknown.text).toContain('"none"');
});
