import { expect } from "@std/expect";
import { temporaryDirectory, toolcall } from "../../support/executable.ts";
import { Peer } from "../../support/mcp/peer.ts";
import { until } from "../../support/wait.ts";
import { trustFile } from "../../support/trust.ts";

const REVIEW = `---
title: Review
description: Reviews a file
arguments:
  - name: path
    required: true
    type: path
  - name: depth
    enum: [short, thorough]
  - name: tool
    type: tool
attach: ["{{path}}"]
---
Review {{path}} ({{depth}}) {{ other }} {{path}}
`;

/** Makes a directory `prompts` with these files, and a directory `in` with another file. */
function makeWorld(prompts: Record<string, string>) {
  const directory = temporaryDirectory();
  Deno.mkdirSync(`${directory.path}/prompts`);
  Deno.mkdirSync(`${directory.path}/in`);
  Deno.writeTextFileSync(`${directory.path}/in/a.txt`, "{{depth}}");
  for (const [name, text] of Object.entries(prompts)) {
    Deno.writeTextFileSync(`${directory.path}/prompts/${name}`, text);
  }
  return directory;
}

Deno.test("mcp prompts > prompts come from Markdown files, with their arguments and attachments", async () => {
  using world = makeWorld({ "review.md": REVIEW, "plain.md": "Just a text", "notes.txt": "No" });
  await using peer = Peer.start(["--allow-read=in", "--prompts=prompts"], { cwd: world.path });
  const { result } = await peer.initialize();
  expect(result.capabilities.prompts).toEqual({ listChanged: true });
  const { result: { prompts } } = await peer.request("prompts/list");
  expect(prompts.map(({ name }: { name: string }) => name)).toEqual(["plain", "review"]);
  const given = { path: "in/a.txt", depth: "short" };
  const got = await peer.request("prompts/get", { name: "review", arguments: given });
  const uri = `file://${world.path}/in/a.txt`;
  expect(got.result.messages.map(({ content }: { content: unknown }) => content)).toEqual([
    { type: "resource", resource: { uri, mimeType: "text/plain", text: "{{depth}}" } },
    { type: "text", text: "Review in/a.txt (short) {{ other }} in/a.txt" },
  ]);
});

Deno.test("mcp prompts > an invalid request is an error with its reason", async () => {
  using world = makeWorld({ "review.md": REVIEW });
  await using peer = Peer.start(["--allow-read=in", "--prompts=prompts"], { cwd: world.path });
  await peer.initialize();
  const rows: [name: string, args: Record<string, string>, why: RegExp][] = [
    ["revew", {}, /did you mean "review"/],
    ["__proto__", {}, /Unknown prompt/],
    ["../review", {}, /Unknown prompt/],
    ["review", {}, /needs the arguments "path"/],
    ["review", { path: "in/a.txt", deph: "short" }, /did you mean "depth"/],
    ["review", { path: "in/a.txt", depth: "deep" }, /one of "short", "thorough"/],
    ["review", { path: "/etc/passwd" }, /Permission denied/],
    ["review", { path: "file://host/etc/passwd" }, /does not begin with/],
  ];
  for (const [name, args, why] of rows) {
    const { error } = await peer.request("prompts/get", { name, arguments: args });
    expect([name, args, error?.code]).toEqual([name, args, -32602]);
    expect(error!.message).toMatch(why);
  }
});

Deno.test("mcp prompts > files with mistakes are omitted, and the client is notified of changes", async () => {
  const hostile = `---\nname: "evil\\u202e\\n<script>"\n---\nx`;
  using world = makeWorld({
    "good.md": "Good",
    "hostile.md": hostile,
    "empty.md": "---\n---\n",
    "key.md": "---\ntools: [x]\n---\nx",
    "yaml.md": "---\na: [\n---\nx",
    "twice.md": "---\nname: good\n---\nx",
  });
  Deno.symlinkSync("/dev/zero", `${world.path}/prompts/zero.md`);
  await using peer = Peer.start(["--prompts=prompts"], { cwd: world.path });
  await peer.initialize();
  const names = async () => {
    const { result } = await peer.request("prompts/list");
    return result.prompts.map(({ name }: { name: string }) => name);
  };
  expect(await names()).toEqual(["good"]);
  Deno.writeTextFileSync(`${world.path}/prompts/more.md`, "More");
  const isNotified = () =>
    peer.unasked.some(({ method }) => method === "notifications/prompts/list_changed");
  expect(await until(isNotified)).toBe(true);
  expect(await names()).toEqual(["good", "more"]);
});

Deno.test("mcp prompts > a directory that a call may write is refused", async () => {
  using world = makeWorld({ "good.md": "Good" });
  await using peer = Peer.start(["--allow-write=.", "--prompts=prompts"], { cwd: world.path });
  await peer.initialize();
  const { error } = await peer.request("prompts/list");
  expect(error?.message).toMatch(/a call may write it/);
});

Deno.test("mcp prompts > the configuration can name the directory, and a missing directory is an error", async () => {
  using world = makeWorld({ "good.md": "Good" });
  const config = `${world.path}/toolcall.json`;
  Deno.writeTextFileSync(config, `{"prompts":{"directory":"prompts"}}`);
  trustFile(config);
  await using peer = Peer.start([], { cwd: world.path });
  const { result } = await peer.initialize();
  expect(result.capabilities.prompts).toEqual({ listChanged: true });
  const missing = await toolcall(["mcp", "--prompts=none"], { cwd: world.path });
  expect(missing.code).toBe(2);
  expect(missing.stderr).toContain('--prompts="none"');
});

Deno.test("mcp completions > paths, tools and values are completed, and no path outside the read grant", async () => {
  using world = makeWorld({ "review.md": REVIEW });
  Deno.writeTextFileSync(`${world.path}/in/secret`, "");
  const flags = ["--allow-read=in", "--deny-read=in/secret", "--prompts=prompts"];
  await using peer = Peer.start(flags, { cwd: world.path });
  await peer.initialize();
  const prompt = { type: "ref/prompt", name: "review" };
  const file = { type: "ref/resource", uri: `file://${world.path}/in/{+path}` };
  const rows: [ref: object, name: string, value: string, values: string[]][] = [
    [prompt, "path", "in/", ["in/a.txt"]],
    [prompt, "path", "", []],
    [prompt, "path", "/etc/pass", []],
    [prompt, "path", "in/../pro", []],
    [prompt, "depth", "th", ["thorough"]],
    [prompt, "tool", "Gl", ["Glob"]],
    [file, "path", "", ["a.txt"]],
    [file, "path", "../pro", []],
    [file, "path", "/etc/", []],
    [{ type: "ref/tool", name: "Grep" }, "output_mode", "files", ["files_with_matches"]],
    [{ type: "ref/tool", name: "Read" }, "file_path", `${world.path}/in/`, [
      `${world.path}/in/a.txt`,
    ]],
  ];
  for (const [ref, name, value, values] of rows) {
    const { result } = await peer.request("completion/complete", {
      ref,
      argument: { name, value },
    });
    expect([ref, value, result?.completion.values]).toEqual([ref, value, values]);
  }
  for (
    const ref of [{ type: "ref/prompt", name: "x" }, { type: "ref/tool", name: "constructor" }]
  ) {
    const argument = { name: "path", value: "" };
    expect((await peer.request("completion/complete", { ref, argument })).error?.code).toBe(-32602);
  }
});
