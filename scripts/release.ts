/** Makes the files of a release in `dist/release/`. */
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "@std/cli/parse-args";
import { version } from "../src/base/version.ts";
import { addresses } from "./release/addresses.ts";
import { bytesOf, type PackageFile, sha256, tarGz } from "./release/archive.ts";
import { components } from "./release/components.ts";
import { documentFiles, makeDocuments, packagingFile, releaseNotes } from "./release/contents.ts";
import { packDebian } from "./release/debian.ts";
import { formulaText } from "./release/formula.ts";
import { availableVersion, MissingPackageError } from "./release/download.ts";
import { packLauncher, packPlatform, platformPackage } from "./release/npm_packages.ts";
import { programFiles } from "./release/program_files.ts";
import { billOfMaterials } from "./release/sbom.ts";
import { sourceState } from "./release/source_state.ts";
import { ownTarget, type Target, targets } from "./release/targets.ts";
import { ripgrepVersion } from "./build_facts.ts";
import { writeBundle } from "./bundle.ts";

const HELP =
  `Usage: deno task release [--dry-run] [--target=NAME,...] [--runtime=VERSION] [--output=DIR]

Makes the archives, packages and documents of a release. It publishes nothing.

  --dry-run          say what would be made, and make nothing
  --target=NAME,...  only these platforms: ${targets.map(({ name }) => name).join(", ")}
  --runtime=VERSION  the version of Deno for other platforms (default: ${Deno.version.deno})
  --output=DIR       default: dist/release`;

const root = fileURLToPath(new URL("../", import.meta.url));

/** A platform that is made or omitted. */
interface PlannedTarget {
  target: Target;
  /** The version of its runtime. */
  runtime: string;
  /** The reason why it is omitted. */
  skipped?: string;
}

function say(text: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
}

/** Decides for each target whether it can be made here. */
function plan(wanted: readonly Target[], runtime: string): Promise<PlannedTarget[]> {
  return Promise.all(wanted.map(async (target) => {
    if (target === ownTarget()) return { target, runtime: Deno.version.deno };
    try {
      return { target, runtime: await availableVersion(target.runtime, runtime) };
    } catch (error) {
      if (!(error instanceof MissingPackageError)) throw error;
      return { target, runtime, skipped: error.message };
    }
  }));
}

/** The names of the files of a target. */
function fileNames({ name, debian, ...target }: Target): string[] {
  const npm = platformPackage({ name, ...target }).replace(/^@(.*)\//, "$1-");
  return [
    `toolcall-${version}-${name}.tar.gz`,
    `npm/${npm}-${version}.tgz`,
    ...(debian === undefined ? [] : [`toolcall_${version}_${debian}.deb`]),
  ];
}

/** Makes all files of a release, by their names. */
async function make(planned: readonly PlannedTarget[], work: string) {
  const state = await sourceState();
  const parts = await components();
  const documents = await makeDocuments(parts);
  const notes = releaseNotes(version);
  const bundle = join(work, "bundle");
  await Deno.mkdir(bundle);
  await writeBundle(bundle);
  const facts = { commit: state.commit, ripgrep: await ripgrepVersion() };
  const extras = documentFiles(documents);
  const files = new Map<string, Uint8Array>();
  for (const { target, runtime } of planned) {
    const program: PackageFile[] = await programFiles(target, { bundle, work, runtime, facts });
    const [archive, npm, debian] = fileNames(target);
    files.set(archive!, tarGz(`toolcall-${version}-${target.name}/`, [...program, ...extras]));
    files.set(npm!, packPlatform(target, { program, documents: extras }));
    if (debian !== undefined) {
      const content = program[0]!.content as Uint8Array;
      files.set(debian, packDebian(target.debian!, { program: content, documents, notes }));
    }
    say(`made ${target.name}`);
  }
  files.set(
    `npm/toolcall-${version}.tgz`,
    packLauncher(planned.map(({ target }) => target), extras),
  );
  files.set("sbom.cdx.json", bytesOf(billOfMaterials(version, { ...state, components: parts })));
  files.set("THIRD_PARTY_NOTICES.txt", bytesOf(documents.notices));
  files.set("RELEASE_NOTES.md", bytesOf(notes));
  const values = { VERSION: version, DOWNLOADS: addresses.downloads };
  files.set("install.sh", bytesOf(packagingFile("install.sh", values)));
  const formula = formulaText(files, addresses);
  if (formula !== undefined) files.set("toolcall.rb", bytesOf(formula));
  files.set("SHA256SUMS", bytesOf(checksums(files)));
  return files;
}

function checksums(files: ReadonlyMap<string, Uint8Array>): string {
  const names = [...files.keys()].sort();
  return names.map((name) => `${sha256(files.get(name)!)}  ${name}\n`).join("");
}

function fail(message: string, code: number): never {
  Deno.stderr.writeSync(new TextEncoder().encode(`${message}\n`));
  Deno.exit(code);
}

/** Writes the files. An old release in the directory is removed first. */
async function write(files: ReadonlyMap<string, Uint8Array>, output: string): Promise<void> {
  await Deno.remove(output, { recursive: true }).catch(() => {});
  for (const [name, content] of files) {
    const path = join(output, name);
    await Deno.mkdir(dirname(path), { recursive: true });
    await Deno.writeFile(path, content, { mode: name.endsWith(".sh") ? 0o755 : 0o644 });
    say(`${name}: ${(content.length / 2 ** 20).toFixed(1)} MiB`);
  }
}

const options = parseArgs(Deno.args, {
  string: ["target", "runtime", "output"],
  boolean: ["dry-run", "help"],
  alias: { help: "h" },
  unknown: (arg: string) => fail(`Unknown argument "${arg}"\n\n${HELP}`, 2),
});
if (options.help) {
  say(HELP);
  Deno.exit(0);
}
const names: string[] = options.target?.split(",") ?? targets.map(({ name }) => name);
const wanted = names.map((name) =>
  targets.find((target) => target.name === name) ?? fail(`Unknown target "${name}"\n\n${HELP}`, 2)
);
const output = resolve(root, options.output || "dist/release");
const planned = await plan(wanted, options.runtime || Deno.version.deno);
for (const { target, runtime, skipped } of planned) {
  if (skipped !== undefined) say(`left out: ${target.name}: ${skipped}`);
  else if (options["dry-run"]) {
    say(`would make: ${target.name} with Deno ${runtime}: ${fileNames(target).join(", ")}`);
  }
}
const possible = planned.filter(({ skipped }) => skipped === undefined);
if (possible.length === 0) fail("Nothing can be made: every target is left out", 1);
if (addresses.downloads === "") {
  say("left out: toolcall.rb: nothing is published yet (scripts/release/addresses.ts)");
}
if (options["dry-run"]) {
  const { commit } = await sourceState();
  say(`would make: install.sh, sbom.cdx.json, RELEASE_NOTES.md, SHA256SUMS in ${output}`);
  say(`version ${version}, commit ${commit}, ${(await components()).length} components`);
} else {
  const work = await Deno.makeTempDir({ prefix: "toolcall-release-" });
  try {
    await write(await make(possible, work), output);
  } finally {
    await Deno.remove(work, { recursive: true });
  }
}
