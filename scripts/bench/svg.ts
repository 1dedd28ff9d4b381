/** The parts of the chart: its colours, its labels and its marks. */

/** Colours for light pages, and for dark ones. */
export const STYLE = `
.page{fill:#fff;stroke:#d0d7de}.text{fill:#1f2328}.soft{fill:#59636e}.line{stroke:#59636e}
.met{fill:#0969da;stroke:#0969da}.missed{fill:url(#stripes);stroke:#bc4c00}.stripe{stroke:#bc4c00}
.target{stroke:#1f2328;fill:#1f2328}.spread{stroke:#1f2328}.halo{stroke:#fff}
@media (prefers-color-scheme:dark){
.page{fill:#0d1117;stroke:#3d444d}.text{fill:#f0f6fc}.soft{fill:#9198a1}.line{stroke:#9198a1}
.met{fill:#4493f8;stroke:#4493f8}.missed{stroke:#db6d28}.stripe{stroke:#db6d28}
.target{stroke:#f0f6fc;fill:#f0f6fc}.spread{stroke:#f0f6fc}.halo{stroke:#0d1117}
}`;

/** Stripes, which show a missed target without colour. */
export const STRIPES = '<defs><pattern id="stripes" width="6" height="6" ' +
  'patternUnits="userSpaceOnUse" patternTransform="rotate(45)">' +
  '<path class="stripe" d="M0 0V6" stroke-width="4"/></pattern></defs>';

/** The mark of a target at `x`: a line and a small triangle above it. */
export function targetMark(x: number, y: number, height: number): string[] {
  return [
    `<path class="target" stroke-width="2" d="M${x} ${y}v${height}"/>`,
    `<path class="target" d="M${x} ${y + 2}l-4 -5h8z"/>`,
  ];
}

/** The middle half of the rounds as a line with ends. */
export function spreadMark(low: number, high: number, y: number): string {
  return `<path class="spread" fill="none" d="M${low} ${y - 3}v6m0 -3H${high}m0 -3v6"/>`;
}

/** A label. Its attributes may set another class than "text". */
export function label(x: number, y: number, text: string, attributes = ""): string {
  const kind = attributes.includes("class=") ? "" : ' class="text"';
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return `<text x="${x}" y="${y}"${kind}${attributes && ` ${attributes}`}>${escaped}</text>`;
}

/** A coordinate with at most one decimal place. */
export function at(value: number): number {
  return Math.round(value * 10) / 10;
}
