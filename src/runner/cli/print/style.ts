import { readVariable } from "../../../base/environment.ts";
import { screenSize } from "../../../base/terminal/screen.ts";
import { inStyle, type Style } from "../../../base/terminal/terminal_text.ts";
import { escapeControls } from "../../../base/text/escape_controls.ts";
import type { Source } from "../streams.ts";
import type { SideEffect } from "../../registry/define.ts";

/** The layout of a text for people. */
export interface TextLayout {
  /**
   * The columns of the terminal. Undefined if there is no terminal: lines may then have any length.
   */
  width: number | undefined;
  /** Returns a text with the codes of a style, if there are colours. */
  paint(text: string, style?: Style): string;
}

/** The layout without a terminal. */
export const plainLayout: TextLayout = { width: undefined, paint: (text) => text };

/**
 * The layout for `stdout`. Colours need a terminal that supports them, and neither `NO_COLOR` nor
 * `TERM=dumb` may be set.
 */
export function layoutFor(stdout: Pick<Source, "isTerminal">): TextLayout {
  if (!stdout.isTerminal()) return plainLayout;
  const { columns } = screenSize();
  const term = readVariable("TERM") ?? "";
  const hasColor = (readVariable("NO_COLOR") ?? "") === "" && term !== "" && term !== "dumb";
  return {
    width: columns,
    paint(text, style) {
      const isPlain = !hasColor || style === undefined || text === "";
      return isPlain ? text : inStyle(text, style);
    },
  };
}

/** An untrusted text for one line. Line ends and control characters are escaped. */
export function inline(text: string): string {
  return escapeControls(text).replaceAll("\n", "\\n");
}

/**
 * The styles of side effects: green changes nothing, yellow uses the network or waits, red changes
 * something.
 */
export const effectStyles: Readonly<Record<SideEffect, Style>> = {
  none: "green",
  read_only: "green",
  network: "yellow",
  blocking: "yellow",
  mutating: "red",
  spawns: "red",
};
