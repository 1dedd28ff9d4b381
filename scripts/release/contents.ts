/** The files that every package of a release contains besides the program. */
import { fileURLToPath } from "node:url";
import { Registry } from "../../src/runner/registry/registry.ts";
import { completionScript, shells } from "../../src/runner/cli/print/completions.ts";
import { manPage } from "../../src/runner/cli/print/man_page.ts";
import { entries } from "../../tools/_generated/index.ts";
import type { PackageFile } from "./archive.ts";
import { type Component, noticesText } from "./components.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** The documents of a release. */
export interface Documents {
  licence: string;
  notices: string;
  manPage: string;
  /** The completion scripts by the names of their files. */
  completions: Readonly<Record<string, string>>;
}

const COMPLETIONS = { bash: "toolcall.bash", zsh: "_toolcall", fish: "toolcall.fish" } as const;

/** Makes the documents of this version. */
export async function makeDocuments(components: readonly Component[]): Promise<Documents> {
  const tools = await new Registry(entries).list();
  return {
    licence: Deno.readTextFileSync(`${root}LICENSE`),
    notices: noticesText(components),
    manPage: manPage(),
    completions: Object.fromEntries(
      shells.map((shell) => [COMPLETIONS[shell], completionScript(shell, tools)]),
    ),
  };
}

/** The documents as the files of an archive. */
export function documentFiles(documents: Documents): PackageFile[] {
  return [
    { name: "LICENSE", content: documents.licence },
    { name: "THIRD_PARTY_NOTICES.txt", content: documents.notices },
    { name: "toolcall.1", content: documents.manPage },
    ...Object.entries(documents.completions).map(([name, content]) => ({
      name: `completions/${name}`,
      content,
    })),
  ];
}

/** A file of `packaging/` with the values of its `@NAME@` marks. */
export function packagingFile(name: string, values: Readonly<Record<string, string>> = {}): string {
  return Deno.readTextFileSync(`${root}packaging/${name}`)
    .replace(/@([A-Z][\w-]*)@/g, (whole, key: string) => values[key] ?? whole);
}

/** The part of the change log about a version, as the notes of its release. */
export function releaseNotes(version: string): string {
  const text = Deno.readTextFileSync(`${root}CHANGELOG.md`);
  const heading = new RegExp(`^## ${RegExp.escape(version)}\\b.*$`, "m").exec(text);
  if (heading === null) throw new Error(`CHANGELOG.md has no section about ${version}`);
  const rest = text.slice(heading.index + heading[0].length);
  const end = rest.search(/^## /m);
  return `# toolcall ${version}\n${end < 0 ? rest : rest.slice(0, end)}`;
}
