import { beside, wrap } from "../../../base/terminal/wrap.ts";
import type { Flag } from "../flag.ts";
import { flags } from "../flags.ts";
import {
  commandGroups,
  type CommandPage,
  commandPages,
  exitCodeRows,
  formatRows,
} from "./command_pages.ts";
import { plainLayout, type TextLayout } from "./style.ts";

/** The width without a terminal, and the widest text. Longer lines are hard to read. */
const [WIDTH, MAX_WIDTH] = [80, 100];

/** The columns for the names of flags. */
const FLAG_WIDTH = 30;

/** The names of the commands that have a page. */
export const commandNames: readonly string[] = Object.keys(commandPages);

/** The topics of `toolcall help` besides commands and tools. */
export const helpTopics = ["permissions", "formats", "exit-codes", "all"] as const;

/** The help for a command or a topic. Without one, the short help; undefined for any other name. */
export function helpText(name?: string, layout: TextLayout = plainLayout): string | undefined {
  const page = new Page(layout);
  if (name === undefined) return page.short();
  if (name === "permissions") return page.permissions();
  if (name === "formats") return page.table("Formats of --format", formatRows);
  if (name === "exit-codes") return page.table("Exit codes", exitCodeRows);
  if (name === "all") {
    const topics = [undefined, ...commandNames, "permissions", "formats", "exit-codes"];
    return topics.map((each) => helpText(each, layout)).join("\n");
  }
  const found = Object.hasOwn(commandPages, name) ? commandPages[name] : undefined;
  return found && page.command(name, found);
}

/** How a flag is written, such as `-R, --allow-read[=PATH,…]`. */
export function spelling({ name, short, metavar, isOptional }: Flag): string {
  const letter = short === undefined ? "" : `-${short}, `;
  const value = metavar === undefined ? "" : isOptional ? `[=${metavar}]` : `=${metavar}`;
  return `${letter}--${name}${value}`;
}

/** Whether a flag decides what a call may do. */
export function isPermissionFlag({ name, permission }: Flag): boolean {
  return permission !== undefined || name === "allow-all" || name === "permission-set";
}

/** The flags of a command, without those that decide what a call may do. */
export function flagsOf(command: string): Flag[] {
  return flags.filter((flag) => !isPermissionFlag(flag) && flag.commands?.includes(command));
}

class Page {
  readonly #width: number;
  readonly #paint: TextLayout["paint"];

  constructor({ width, paint }: TextLayout) {
    this.#width = Math.min(width ?? WIDTH, MAX_WIDTH);
    this.#paint = paint;
  }

  /** At most 24 lines of 80 columns. */
  short(): string {
    const names = (group: string) =>
      commandNames.filter((name) => commandPages[name]!.group === group).join(", ");
    return this.#join([
      ...this.#text("toolcall runs a model's tool call under permissions that you choose"),
      "",
      ...this.#row("Usage: ", "toolcall [PERMISSIONS] TOOL [ARGUMENTS]"),
      ...this.#row("       ", "toolcall COMMAND [OPTIONS]"),
      "",
      ...this.#example("toolcall --allow-read=. fs.read path=README.md", "run one tool"),
      ...this.#example("toolcall check Bash command='git status'", "see what a call needs"),
      ...this.#example("toolcall --allow-read=. < call.json", "run a call from a model"),
      "",
      ...commandGroups.flatMap((group) => this.#row(`${group.padEnd(14)}`, names(group), "strong")),
      "",
      ...this.#row("Permissions   ", "-R --allow-read[=PATH]  -W --allow-write[=PATH]", "strong"),
      ...this.#row("              ", "-N --allow-net[=HOST]   -E --allow-env[=NAME]"),
      ...this.#row("              ", "--allow-run[=PROGRAM]   -A --allow-all"),
      "",
      ...this.#text("Without permissions, a tool may do nothing."),
      ...this.#text("More: toolcall help COMMAND, TOOL, permissions, formats, exit-codes or all"),
    ]);
  }

  /** The page about a command. */
  command(name: string, { summary, usage, about, examples }: CommandPage): string {
    const own = flagsOf(name);
    const hasPermissions = flags.some((flag) =>
      flag.permission !== undefined && flag.commands?.includes(name)
    );
    return this.#join([
      ...this.#text(`toolcall ${name}: ${summary}`, "strong"),
      "",
      ...usage.flatMap((each, at) =>
        this.#row(at === 0 ? "Usage: " : "       ", `toolcall ${name} ${each}`.trimEnd())
      ),
      ...about.flatMap((each) => ["", ...this.#text(each)]),
      ...(own.length === 0 ? [] : ["", ...this.#text("Options:", "strong"), ...this.#flags(own)]),
      ...(hasPermissions
        ? ["", ...this.#text("Permission flags: see toolcall help permissions")]
        : []),
      "",
      ...this.#text("Examples:", "strong"),
      ...examples.flatMap(([command, text]) => this.#example(command, text)),
    ]);
  }

  permissions(): string {
    return this.#join([
      ...this.#text("Permissions", "strong"),
      "",
      ...this.#text(
        "Without these flags, a call may do nothing. Values follow =, separated by commas; write ,, " +
          "for a literal comma. A flag without a value allows everything of its kind. Deny wins.",
      ),
      "",
      ...this.#flags(flags.filter(isPermissionFlag)),
      "",
      ...this.#text("Examples:", "strong"),
      ...this.#example("toolcall --allow-read=. fs.read path=README.md", "read below a directory"),
      ...this.#example(
        "toolcall --allow-read=. --deny-read=.env fs.list path=.",
        "all but one file",
      ),
      ...this.#example(
        "toolcall --allow-read=. --allow-run=bash,ls Bash command=ls",
        "start two programs",
      ),
    ]);
  }

  table(title: string, rows: readonly (readonly [name: string, text: string])[]): string {
    const size = Math.max(...rows.map(([name]) => name.length)) + 4;
    return this.#join([
      ...this.#text(title, "strong"),
      "",
      ...rows.flatMap(([name, text]) => this.#row(`  ${name}`.padEnd(size), text, "cyan")),
    ]);
  }

  /** Each flag with its text beside it, or below it if there is too little room. */
  #flags(list: readonly Flag[]): string[] {
    return list.flatMap((flag) => {
      const name = `  ${spelling(flag)}`;
      const isBeside = name.length < FLAG_WIDTH && this.#width >= 2 * FLAG_WIDTH;
      if (isBeside) return this.#row(name.padEnd(FLAG_WIDTH), flag.help, "cyan");
      const indent = " ".repeat(this.#width >= 2 * FLAG_WIDTH ? FLAG_WIDTH : 8);
      return [
        ...wrap(name, this.#width).map((line) => this.#paint(line, "cyan")),
        ...beside(indent, flag.help, { width: this.#width }),
      ];
    });
  }

  #example(command: string, about: string): string[] {
    const line = `  ${command}`;
    const beside = `${line.padEnd(52)}  ${about}`;
    if (beside.length <= this.#width) {
      return [this.#paint(line.padEnd(52), "cyan") + this.#paint(`  ${about}`, "faint")];
    }
    return [
      ...wrap(`  # ${about}`, this.#width).map((each) => this.#paint(each, "faint")),
      ...wrap(line, this.#width).map((each) => this.#paint(each, "cyan")),
    ];
  }

  #row(prefix: string, text: string, style?: "strong" | "cyan"): string[] {
    return beside(prefix, text, { width: this.#width }).map((line, at) =>
      at === 0 && style !== undefined && line.startsWith(prefix)
        ? this.#paint(prefix, style) + line.slice(prefix.length)
        : line
    );
  }

  #text(text: string, style?: "strong"): string[] {
    return wrap(text, this.#width).map((line) => this.#paint(line, style));
  }

  #join(lines: readonly string[]): string {
    return lines.map((line) => `${line.trimEnd()}\n`).join("");
  }
}
