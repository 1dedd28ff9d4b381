/** The third-party components of a release, with their licences. */
import { bundledPackages, importedVersion, type LockedPackage } from "./lock_file.ts";
import { licenceText } from "./licence_texts.ts";

/** A third-party component of the program. */
export interface Component {
  name: string;
  version: string;
  /** Its licence as an SPDX expression. */
  licence: string;
  /** The text of the licence. */
  text: string;
  /** The package that it comes from, if it comes from a registry. */
  package?: LockedPackage;
}

/** The licences that a release may contain. MPL-2.0 asks for the sources, which npm has. */
export const ALLOWED_LICENCES: readonly string[] = [
  ...["MIT", "ISC", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "MPL-2.0", "PSF-2.0"],
  ...["BlueOak-1.0.0", "0BSD", "Unlicense", "MIT OR Unlicense", "Unicode-3.0"],
];

/** The licences of packages that have no file with it. */
const MISSING_TEXTS: Readonly<Record<string, string>> = {
  boolbase: licenceText("ISC", "Felix Boehm"),
  "deno-std": licenceText("MIT", "2018-2026 the Deno authors"),
};

/** The components that the lock file does not list, or that are inside a listed package. */
function otherComponents(): Component[] {
  const mit = (copyright: string) => ({ licence: "MIT", text: licenceText("MIT", copyright) });
  const bsd = (copyright: string) => ({
    licence: "BSD-3-Clause",
    text: licenceText("BSD-3-Clause", copyright),
  });
  const grammars = importedVersion("@vscode/tree-sitter-wasm/");
  return [
    { name: "Deno", version: Deno.version.deno, ...mit("2018-2026 the Deno authors") },
    {
      name: "V8",
      version: Deno.version.v8,
      ...bsd("2006-2026 the V8 project authors. All rights reserved."),
    },
    {
      name: "ripgrep",
      version: `of @vscode/ripgrep ${importedVersion("@vscode/ripgrep")}`,
      licence: "MIT OR Unlicense",
      text: licenceText("MIT", "2015 Andrew Gallant"),
    },
    {
      name: "PDFium",
      version: `of @hyzyla/pdfium ${importedVersion("@hyzyla/pdfium/")}`,
      ...bsd("2014-2026 the PDFium authors. All rights reserved."),
    },
    {
      name:
        "tree-sitter grammars for Bash, C#, C++, Go, Java, JavaScript, PHP, Python, Ruby, Rust " +
        "and TypeScript",
      version: `of @vscode/tree-sitter-wasm ${grammars}`,
      ...mit("2014-2026 Max Brunsfeld and the authors of the grammars"),
    },
    {
      name: "The names of time zones in the Unicode CLDR",
      version: "48.2",
      licence: "Unicode-3.0",
      text: licenceText("Unicode-3.0", "2004-2026 Unicode, Inc."),
    },
  ];
}

/**
 * All components of the program, in the order of their names.
 *
 * @throws {Error} for a package whose licence is not allowed in a release, or has no text.
 */
export async function components(): Promise<Component[]> {
  const directory = await packageDirectory();
  const packages = bundledPackages().map((each) => componentOf(each, directory));
  return [...otherComponents(), ...packages];
}

/** A package of the lock file with the licence in its directory. */
function componentOf(locked: LockedPackage, directory: string): Component {
  const { name, version } = locked;
  if (locked.registry === "jsr") {
    const text = MISSING_TEXTS["deno-std"]!;
    return { name, version, licence: "MIT", text, package: locked };
  }
  const path = `${directory}/${name}/${version}`;
  const { license: licence } = JSON.parse(Deno.readTextFileSync(`${path}/package.json`));
  if (!ALLOWED_LICENCES.includes(licence)) {
    throw new Error(
      `The licence "${licence}" of ${name}@${version} is not known; check it, and add it to ` +
        "ALLOWED_LICENCES in scripts/release/components.ts",
    );
  }
  const files = [...Deno.readDirSync(path)].map((entry) => entry.name)
    .filter((file) => /^(licen[cs]e|copying|notice|third)/i.test(file)).sort();
  const text = files.length > 0
    ? files.map((file) => Deno.readTextFileSync(`${path}/${file}`).trim()).join("\n\n")
    : MISSING_TEXTS[name];
  if (text === undefined) {
    throw new Error(
      `${name}@${version} has no file with its licence; add its text to MISSING_TEXTS in ` +
        "scripts/release/components.ts",
    );
  }
  return { name, version, licence, text, package: locked };
}

/** The directory of npm's packages in the runtime's cache. */
async function packageDirectory(): Promise<string> {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", "--no-config"],
  }).output();
  const { npmCache } = JSON.parse(new TextDecoder().decode(stdout));
  const registries = [...Deno.readDirSync(npmCache)].filter(({ isDirectory }) => isDirectory)
    .map(({ name }) => `${npmCache}/${name}`);
  const { name, version } = bundledPackages().find(({ registry }) => registry === "npm")!;
  const found = registries.find((path) => {
    try {
      return Deno.statSync(`${path}/${name}/${version}`).isDirectory;
    } catch {
      return false;
    }
  });
  if (found !== undefined) return found;
  throw new Error(
    `The package ${name}@${version} is not in the cache; run "deno task build" first`,
  );
}

/** The file `THIRD_PARTY_NOTICES.txt`: each component with its licence. */
export function noticesText(all: readonly Component[]): string {
  const rule = "-".repeat(80);
  const list = all.map(({ name, version, licence }) => `- ${name} ${version}: ${licence}`);
  const sections = all.map(({ name, version, licence, text }) =>
    [rule, `${name} ${version}`, `Licence: ${licence}`, "", plain(text), ""].join("\n")
  );
  return [
    "Third-party notices",
    "",
    "toolcall contains the following software of others. The npm registry has the sources of all",
    "packages, also of those under the Mozilla Public License 2.0.",
    "",
    ...list,
    "",
    ...sections,
  ].join("\n");
}

/** A text without carriage returns and blanks at the ends of lines. */
function plain(text: string): string {
  return text.replaceAll("\r", "").replaceAll(/[ \t]+$/gm, "");
}
