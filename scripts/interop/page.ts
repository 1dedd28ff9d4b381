/** Writes the table of `docs/interop.md`. */
import { Missing } from "../bench/rows.ts";
import { withText } from "../bench/pages.ts";
import { REFERENCE } from "./clients.ts";
import type { Row } from "./measure.ts";
import { CELLS } from "./servers.ts";

const root = new URL("../../", import.meta.url);
const page = new URL("docs/interop.md", root);

const SIGNS = { green: "✓", grey: "–", red: "✗" } as const;

/** The rows as a Markdown table, and a list of the faults that it refers to. */
export function interopTable(rows: readonly Row[], { day, version }: {
  day: string;
  version: string;
}): string {
  const faults: string[] = [];
  const lines = rows.map(({ client, cells }) => {
    if (cells instanceof Missing) return [client.title, ...CELLS.map(() => "?")];
    const signs = CELLS.map((name) => {
      const { colour, detail } = cells[name];
      if (colour === "green") return SIGNS.green;
      faults.push(`${client.title}, ${name}: \`${detail.replaceAll("`", "'")}\``);
      return `${SIGNS[colour]} ${faults.length}`;
    });
    return [client.title, ...signs];
  });
  return [
    tableLine(["client", ...CELLS]),
    tableLine(["---", ...CELLS.map(() => "---")]),
    ...lines.map(tableLine),
    "",
    "The messages of the cells that are not green:",
    "",
    ...faults.map((fault, place) => `${place + 1}. ${fault}`),
    "",
    tableLine(["client", "packages", "options"]),
    tableLine(["---", "---", "---"]),
    ...rows.map(({ client: { title, packages, options = "" } }) =>
      tableLine([title, packages.map((each) => `\`${each}\``).join(", "), options])
    ),
    "",
    `Measured on ${day} with ${version} and \`${REFERENCE}\`.`,
  ].join("\n");
}

/** Writes the table into the page. */
export async function writeInteropPage(table: string): Promise<void> {
  const place = ["<!-- The script writes this. -->", "<!-- The end. -->"] as const;
  Deno.writeTextFileSync(page, withText(Deno.readTextFileSync(page), table, place));
  const args = ["fmt", "--quiet", "docs/interop.md"];
  await new Deno.Command(Deno.execPath(), { args, cwd: root }).output();
}

function tableLine(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}
