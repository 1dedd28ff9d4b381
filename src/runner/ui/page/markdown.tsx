/// <reference lib="dom" />
/** Shows Markdown by an allow-list of elements. Everything else is text. */
import type { ComponentChildren } from "preact";

/** The elements of a line: code, links, strong and emphasised text. Only web links are links. */
const INLINE =
  /`([^`\n]+)`|\[([^\]\n]+)\]\((https?:\/\/[^\s()<>]+)\)|\*\*([^*\n]+)\*\*|(?<![\w*])\*([^*\s][^*\n]*)\*/g;

/** The most lines that are shown as Markdown. */
const MAX_LINES = 5_000;

/** Whether a text is likely to be Markdown. */
export const isMarkdown = (text: string) =>
  /^(#{1,6} \S|```|[-*] \S.*\n[-*] \S|> \S)|\]\(https?:\/\//m.test(text);

function inline(text: string): ComponentChildren[] {
  const parts: ComponentChildren[] = [];
  let from = 0;
  for (
    const { 0: all, index, 1: code, 2: label, 3: href, 4: strong, 5: emphasis } of text.matchAll(
      INLINE,
    )
  ) {
    parts.push(text.slice(from, index));
    from = index + all.length;
    if (code) parts.push(<code>{code}</code>);
    else if (href) {
      parts.push(<a href={href} target="_blank" rel="noopener noreferrer">{label}</a>);
    } else if (strong) parts.push(<strong>{strong}</strong>);
    else parts.push(<em>{emphasis}</em>);
  }
  return [...parts, text.slice(from)];
}

/** A text as Markdown: headings, lists, quotations, code and paragraphs. */
export function Markdown({ text }: { text: string }) {
  const lines = text.split("\n").slice(0, MAX_LINES);
  const blocks: ComponentChildren[] = [];
  for (let at = 0; at < lines.length;) {
    const line = lines[at]!;
    const take = (pattern: RegExp) => {
      const taken: string[] = [];
      while (at < lines.length && pattern.test(lines[at]!)) {
        taken.push(lines[at++]!.replace(pattern, ""));
      }
      return taken;
    };
    const [, hashes, title] = /^(#{1,6}) +(.*)$/.exec(line) ?? [];
    if (line.trim() === "") at++;
    else if (hashes) {
      const Heading = hashes.length < 2 ? "h3" : "h4";
      blocks.push(<Heading>{inline(title!)}</Heading>);
      at++;
    } else if (line.startsWith("```")) {
      const end = lines.findIndex((each, index) => index > at && each.startsWith("```"));
      const last = end < 0 ? lines.length : end;
      blocks.push(<pre tabIndex={0}>{lines.slice(at + 1, last).join("\n")}</pre>);
      at = last + 1;
    } else if (/^\s*[-*] /.test(line)) {
      blocks.push(
        <ul>{take(/^\s*[-*] /).map((each, index) => <li key={index}>{inline(each)}</li>)}</ul>,
      );
    } else if (/^\s*\d+[.)] /.test(line)) {
      blocks.push(
        <ol>{take(/^\s*\d+[.)] /).map((each, index) => <li key={index}>{inline(each)}</li>)}</ol>,
      );
    } else if (line.startsWith(">")) {
      blocks.push(<blockquote>{inline(take(/^> ?/).join(" "))}</blockquote>);
    } else {
      const first = at;
      while (
        at < lines.length && (at === first || !/^(\s*$|#{1,6} |```|\s*[-*] |>)/.test(lines[at]!))
      ) {
        at++;
      }
      blocks.push(<p>{inline(lines.slice(first, at).join("\n"))}</p>);
    }
  }
  return <div class="markdown">{blocks}</div>;
}
