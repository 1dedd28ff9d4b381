/** The packages for npm: one for each platform, and one that starts the right one. */
import { version } from "../../src/base/version.ts";
import { addresses } from "./addresses.ts";
import { type PackageFile, tarGz } from "./archive.ts";
import { packagingFile } from "./contents.ts";
import type { Target } from "./targets.ts";

/** The name of a platform's package. npm's names of systems differ from those of the archives. */
export function platformPackage({ os, cpu }: Target): string {
  return `@toolcall/${os}-${cpu}`;
}

/** The package of a platform, with the files of its program below `bin/`. */
export function packPlatform(
  target: Target,
  { program, documents }: {
    program: readonly PackageFile[];
    documents: readonly PackageFile[];
  },
): Uint8Array {
  const manifest = {
    name: platformPackage(target),
    version,
    description: `The executable of toolcall for ${target.name}`,
    ...common(),
    os: [target.os],
    cpu: [target.cpu],
    ...(target.os === "linux" && { libc: ["glibc"] }),
    preferUnplugged: true,
  };
  return tarGz("package/", [
    json("package.json", manifest),
    { name: "README.md", content: `The executable of \`toolcall\` for ${target.name}.\n` },
    ...documents,
    ...program.map((file) => ({ ...file, name: `bin/${file.name}` })),
  ]);
}

/** The package `toolcall`, which has the packages of these platforms as optional dependencies. */
export function packLauncher(
  targets: readonly Target[],
  documents: readonly PackageFile[],
): Uint8Array {
  const manifest = {
    name: "toolcall",
    version,
    description: "Runs the tool calls of language models in a sandbox",
    keywords: ["llm", "tool-call", "mcp", "sandbox", "cli"],
    ...common(),
    bin: { toolcall: "bin/toolcall.js" },
    man: ["toolcall.1"],
    engines: { node: ">=18" },
    optionalDependencies: Object.fromEntries(
      targets.map((target) => [platformPackage(target), version]),
    ),
  };
  return tarGz("package/", [
    json("package.json", manifest),
    { name: "README.md", content: packagingFile("npm.md") },
    { name: "bin/toolcall.js", content: packagingFile("launcher.js"), isExecutable: true },
    ...documents,
  ]);
}

function common() {
  const { repository } = addresses;
  return {
    license: "MIT",
    ...(repository !== "" && { repository: { type: "git", url: `git+${repository}.git` } }),
    ...(repository !== "" && { homepage: repository }),
  };
}

function json(name: string, value: unknown): PackageFile {
  return { name, content: `${JSON.stringify(value, null, 2)}\n` };
}
