/** The Debian package (deb(5), Debian Policy Manual). It is made without Debian's programs. */
import { Buffer } from "node:buffer";
import { gzipSync } from "node:zlib";
import { version } from "../../src/base/version.ts";
import { addresses } from "./addresses.ts";
import { bytesOf, type PackageFile, tarGz } from "./archive.ts";
import type { Documents } from "./contents.ts";

/** Names the files that stay after an uninstall: packages must not touch home directories. */
const POSTRM = `#!/bin/sh
set -e
case "$1" in
  remove | purge)
    echo "toolcall: each user's ~/.cache/toolcall and ~/.local/state/toolcall stay." >&2
    echo "toolcall: \\"toolcall cache clean --all --state\\" removes them before you uninstall." >&2
    ;;
esac
`;

/** The package for a processor, as Debian names it. */
export function packDebian(
  architecture: string,
  { program, documents, notes }: {
    program: Uint8Array;
    documents: Documents;
    /** The part of the change log about this version. */
    notes: string;
  },
): Uint8Array {
  const doc = "usr/share/doc/toolcall";
  const zipped = (text: string) => gzipSync(bytesOf(text), { level: 9 });
  const files: PackageFile[] = [
    { name: "usr/bin/toolcall", content: program, isExecutable: true },
    { name: "usr/share/man/man1/toolcall.1.gz", content: zipped(documents.manPage) },
    ...Object.entries(documents.completions).map(([name, content]) => ({
      name: `usr/share/${COMPLETIONS[name]}`,
      content,
    })),
    { name: `${doc}/copyright`, content: `${documents.licence}\n${documents.notices}` },
    { name: `${doc}/changelog.gz`, content: zipped(notes) },
  ];
  const size = files.reduce((sum, { content }) => sum + Math.ceil(content.length / 1024), 0);
  const control = [
    "Package: toolcall",
    `Version: ${version}`,
    `Architecture: ${architecture}`,
    "Maintainer: toolcall authors",
    `Installed-Size: ${size}`,
    "Depends: libc6 (>= 2.28), libgcc-s1",
    "Recommends: git",
    "Suggests: bubblewrap",
    "Section: utils",
    "Priority: optional",
    ...(addresses.repository === "" ? [] : [`Homepage: ${addresses.repository}`]),
    "Description: runs the tool calls of language models in a sandbox",
    " toolcall reads one JSON call, checks its arguments, runs the tool in a",
    " sandbox of the kernel, and prints one JSON result.",
    "",
  ].join("\n");
  return archive([
    ["debian-binary", bytesOf("2.0\n")],
    [
      "control.tar.gz",
      tarGz("./", [
        { name: "control", content: control },
        { name: "postrm", content: POSTRM, isExecutable: true },
      ]),
    ],
    ["data.tar.gz", tarGz("./", files)],
  ]);
}

/** The directories of the completion scripts in Debian. */
const COMPLETIONS: Readonly<Record<string, string>> = {
  "toolcall.bash": "bash-completion/completions/toolcall",
  _toolcall: "zsh/vendor-completions/_toolcall",
  "toolcall.fish": "fish/vendor_completions.d/toolcall.fish",
};

/** An archive in the common format of ar(5). */
function archive(members: readonly (readonly [name: string, content: Uint8Array])[]): Uint8Array {
  const parts = [bytesOf("!<arch>\n")];
  for (const [name, content] of members) {
    const fields = [name.padEnd(16), "0".padEnd(12), "0".padEnd(6), "0".padEnd(6)];
    parts.push(
      bytesOf(`${fields.join("")}${"100644".padEnd(8)}${`${content.length}`.padEnd(10)}\`\n`),
    );
    parts.push(content, bytesOf("\n".repeat(content.length % 2)));
  }
  return new Uint8Array(Buffer.concat(parts));
}
