/** The names of files that a grant of their directory does not open for writing. */
import { expect } from "@std/expect";
import { protectedNames } from "../../../../../src/runner/sandbox/policy/protected_names.ts";
import { protectedPath } from "../../../../../src/runner/sandbox/policy/protected_paths.ts";

Deno.test("protected names > a file that a program obeys by itself is in the list, under each of its names", () => {
  const names = [
    ...["mise.toml", "mise.local.toml", ".mise.local.toml", ".config/mise.toml", ".envrc"],
    ...[".helix/config.toml", ".nvim.lua", ".lvimrc", ".luarc.json", ".vscode/tasks.json"],
    ...[".yarn/releases/yarn-4.0.0.cjs", ".yarn/plugins/a.cjs", "bunfig.toml", ".npmrc"],
    ...[".pdbrc", ".pdbrc.py", ".byebugrc", ".gdbinit", "sitecustomize.py", ".iex.exs"],
    ...["lefthook.yml", "lefthook-local.yml", "lefthook.toml", ".pre-commit-config.yaml"],
    ...[".mcp.json", "mcp.json", "opencode.jsonc", ".junie/mcp/mcp.json", "MISE.TOML"],
  ];
  for (const name of names) {
    expect([name, protectedPath(`/project/${name}`) !== undefined]).toEqual([name, true]);
  }
});

Deno.test("protected names > the code of a project and prose for agents are not in the list", () => {
  const names = [
    ...["AGENTS.md", "CLAUDE.md", "eslint.config.js", "conftest.py", "build.rs", "Makefile"],
    ...["package.json", ".gitignore", ".editorconfig", ".nvmrc", ".pnp.cjs", ".yarn/cache/a.zip"],
  ];
  for (const name of names) {
    expect([name, protectedPath(`/project/${name}`)]).toEqual([name, undefined]);
  }
});

Deno.test("protected names > each name is there once, in lower case", () => {
  const names = protectedNames();
  expect(new Set(names).size).toBe(names.length);
  expect(names.filter((name) => name !== name.toLowerCase())).toEqual([]);
});
