/** Small icons as `data:` addresses: a client need not fetch them. */

import type { Category } from "../registry/define.ts";

/** An icon as MCP has it. */
export interface McpIcon {
  /** Its `data:` address. */
  src: string;
  /** Its media type. */
  mimeType: string;
  /** Its sizes. */
  sizes: string[];
}

/** The lines of the icon of each category, in a square of 24. */
const LINES: Readonly<Record<Category | "toolcall", string>> = {
  toolcall: "M4 17l6-5-6-5M12 19h8",
  code: "M8 6l-6 6 6 6M16 6l6 6-6 6",
  vcs: "M6 3v18M18 6a9 9 0 0 1-12 9",
  build: "M3 21l9-9M14 3l7 7-4 4-7-7z",
  research: "M16 16l5 5M10 3a7 7 0 1 0 0 14 7 7 0 0 0 0-14",
  publish: "M12 16V4M6 10l6-6 6 6M4 20h16",
  utility: "M4 6h16M4 12h16M4 18h16",
  agent: "M5 8h14v11H5zM12 8V4M9 13h0M15 13h0",
  mcp: "M9 3v6M15 3v6M6 9h12v3a6 6 0 0 1-12 0zM12 18v3",
};

/** Returns the icon of the server or of a category of tools. */
export function iconOf(name: Category | "toolcall"): McpIcon {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" ` +
    `stroke="#777" stroke-width="2"><path d="${LINES[name]}"/></svg>`;
  return {
    src: `data:image/svg+xml;base64,${btoa(svg)}`,
    mimeType: "image/svg+xml",
    sizes: ["any"],
  };
}
