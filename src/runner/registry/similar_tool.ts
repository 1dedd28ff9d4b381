import { unprefixedNames } from "../../base/text/prefixed_names.ts";
import { nearest } from "../../base/text/nearest.ts";

/** Names that models and people use for tools, in lower case without other characters. */
const SYNONYMS: Readonly<Record<string, string>> = {
  ...{ read: "Read", readfile: "Read", view: "Read", viewfile: "Read", cat: "Read" },
  ...{ openfile: "Read", write: "Write", writefile: "Write", createfile: "Write" },
  ...{ edit: "Edit", editfile: "Edit", strreplace: "Edit", replace: "Edit" },
  ...{ strreplaceeditor: "Edit", strreplacebasededittool: "Edit", multiedit: "Edit" },
  ...{ shell: "Bash", sh: "Bash", terminal: "Bash", exec: "Bash", execute: "Bash" },
  ...{ run: "Bash", runcommand: "Bash", runshellcommand: "Bash", executecommand: "Bash" },
  ...{ listfiles: "fs.list", listdir: "fs.list", listdirectory: "fs.list", readdir: "fs.list" },
  ...{ find: "Glob", findfiles: "Glob", filesearch: "Glob", searchfiles: "Grep" },
  ...{ grepsearch: "Grep", searchfilecontent: "Grep", ripgrep: "Grep", rg: "Grep" },
  ...{ fetch: "WebFetch", fetchurl: "WebFetch", http: "WebFetch", google: "WebSearch" },
  ...{ todo: "TodoWrite", task: "Agent", subagent: "Agent", notebook: "NotebookEdit" },
};

/** The tool that an unknown name probably means, if it is one of `names`. */
export function similarTool(name: string, names: readonly string[]): string | undefined {
  const meant = unprefixedNames(name);
  const exact = meant.find((each) => names.includes(each));
  if (exact !== undefined) return exact;
  for (const each of meant) {
    const found = similarName(each, names);
    if (found !== undefined) return found;
  }
  return undefined;
}

function similarName(name: string, names: readonly string[]): string | undefined {
  const key = name.toLowerCase().replaceAll(/[^a-z]/g, "");
  const known = Object.hasOwn(SYNONYMS, key) ? SYNONYMS[key]! : undefined;
  return known !== undefined && names.includes(known) ? known : nearest(name, names);
}
