/** The texts of the page's files by their paths. */
export type PageFiles = Readonly<Record<string, string>>;

/** The style sheets in their order. Those for narrow windows override the others. */
const STYLES = [
  ...["base", "frame", "parts", "tools", "form", "permissions", "result", "calls", "plots"],
  ...["live", "dialogs", "narrow"],
];

/**
 * Returns the files of the page by their paths. This version builds them, for a program that runs
 * from its sources. `scripts/bundle.ts` replaces this module by one with the finished texts.
 */
export async function pageFiles(): Promise<PageFiles> {
  return await (files ??= build());
}

let files: Promise<Record<string, string>> | undefined;

async function build(): Promise<Record<string, string>> {
  const source = (name: string) => new URL(`page/${name}`, import.meta.url);
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "bundle",
      "--quiet",
      "--platform=browser",
      "--minify",
      decodeURIComponent(source("app.tsx").pathname),
    ],
    env: { NO_COLOR: "1" },
  }).output();
  const decoder = new TextDecoder();
  if (!success) throw new Error(`Cannot bundle the page: ${decoder.decode(stderr)}`);
  return {
    "/": Deno.readTextFileSync(source("index.html")),
    "/app.js": decoder.decode(stdout),
    "/app.css": STYLES.map((name) => Deno.readTextFileSync(source(`${name}.css`))).join(""),
  };
}
