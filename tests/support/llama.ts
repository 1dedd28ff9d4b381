/** The reader of grammars of llama.cpp, on machines for which its binary package is used. */
import { createRequire } from "node:module";
import { join } from "node:path";
import { isMissing, llamaDirectory } from "./packages.ts";

/** Whether the reader is available on this machine. */
export const hasLlama = Deno.build.target === "x86_64-unknown-linux-gnu" &&
  !await isMissing("llama");

let directory: Promise<string> | undefined;

interface Addon {
  AddonGrammar: new (text: string, options: { rootRuleName: string }) => {
    isTextCompatible(text: string): boolean;
  };
}

/** Reads a grammar, and returns a function that tests whole texts. Throws for an invalid grammar. */
export async function readGrammar(text: string): Promise<(text: string) => boolean> {
  const path = join(await (directory ??= llamaDirectory()), "linux-x64", "llama-addon.node");
  const { AddonGrammar } = createRequire(import.meta.url)(path) as Addon;
  const grammar = new AddonGrammar(text, { rootRuleName: "root" });
  return (each) => grammar.isTextCompatible(each);
}
