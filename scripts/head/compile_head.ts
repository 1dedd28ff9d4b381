/**
 * `deno task head`: compiles `head.c` with GCC, and writes the machine code to `machine_code.ts`.
 * GCC for the other architecture is Debian's package gcc-aarch64-linux-gnu.
 */

import { fileURLToPath } from "node:url";
import { type Architecture, CODE_ADDRESS } from "./native_head.ts";

/** The compilers by the architecture that they compile for. */
const COMPILERS: Record<Architecture, string> = {
  x86_64: "x86_64-linux-gnu-gcc",
  aarch64: "aarch64-linux-gnu-gcc",
};

const OPTIONS = [
  ...["-std=gnu17", "-Os", "-Wall", "-Wextra", "-Werror", "-ffreestanding", "-fno-pic"],
  ...[
    "-fno-stack-protector",
    "-fno-asynchronous-unwind-tables",
    "-fno-tree-loop-distribute-patterns",
  ],
  ...["-static", "-no-pie", "-nostdlib", "-Wl,--build-id=none", "-Wl,-T,head.ld"],
];

const directory = fileURLToPath(new URL(".", import.meta.url));

/**
 * Compiles the head. Returns its machine code and the compiler's version, or undefined if the
 * compiler is missing.
 *
 * @throws {Error} when the compiler fails, with what it printed.
 */
export function compileHead(
  architecture: Architecture,
): { code: Uint8Array; compiler: string } | undefined {
  const gcc = COMPILERS[architecture];
  const compiler = firstLine(gcc, ["--version"]);
  if (compiler === undefined) return undefined;
  const output = Deno.makeTempFileSync({ prefix: "toolcall-head-" });
  try {
    const { success, stderr } = new Deno.Command(gcc, {
      args: [...OPTIONS, ...ownOptions[architecture], "-o", output, "head.c"],
      cwd: directory,
    }).outputSync();
    if (!success) throw new Error(`Cannot compile head.c: ${new TextDecoder().decode(stderr)}`);
    return { code: codeOf(Deno.readFileSync(output)), compiler };
  } finally {
    Deno.removeSync(output);
  }
}

const ownOptions: Record<Architecture, string[]> = {
  x86_64: ["-fcf-protection=none"],
  aarch64: ["-mbranch-protection=none", "-mno-outline-atomics"],
};

function firstLine(program: string, args: string[]): string | undefined {
  try {
    const { stdout } = new Deno.Command(program, { args, env: { LC_ALL: "C" } }).outputSync();
    return new TextDecoder().decode(stdout).split("\n")[0];
  } catch {
    return undefined;
  }
}

/** Returns the code in an executable's first segment, which `head.ld` describes (`elf(5)`). */
function codeOf(file: Uint8Array): Uint8Array {
  const view = new DataView(file.buffer, file.byteOffset);
  const table = Number(view.getBigUint64(32, true));
  const word = (at: number) => Number(view.getBigUint64(table + at, true));
  const [offset, address, size] = [word(8), word(16), word(32)] as const;
  // The linker puts the headers into the segment where they fit.
  return file.slice(offset + CODE_ADDRESS - address, offset + size);
}

if (import.meta.main) {
  const entries = (Object.keys(COMPILERS) as Architecture[]).map((architecture) => {
    const compiled = compileHead(architecture);
    if (compiled === undefined) throw new Error(`${COMPILERS[architecture]} is missing`);
    const text = compiled.code.toBase64().replace(/.{1,90}/g, (line) => `    "${line}" +\n`)
      .replace(/ \+\n$/, ",\n");
    return `  ${architecture}: {\n    compiler: ${JSON.stringify(compiled.compiler)},\n` +
      `    code:\n${text}  },\n`;
  });
  Deno.writeTextFileSync(
    new URL("machine_code.ts", import.meta.url),
    `/** Written by "deno task head" from head.c: the machine code of the native head, in Base64. */\n` +
      `// deno-fmt-ignore\nexport const machineCode = {\n${entries.join("")}};\n`,
  );
}
