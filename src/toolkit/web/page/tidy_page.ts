import type { PageElement, PageNode } from "./dom.ts";

/** The text of a link from a heading to itself. */
const PERMALINK = /^(?:¶|#|§|🔗|⚓|link)?[\uFE0E\uFE0F]?$/iu;

/** The elements that contain such links. */
const TITLED = "h1, h2, h3, h4, h5, h6, dt, caption, figcaption";

/** Removes links of headings to themselves, and rules without text on both sides. */
export function tidyPage(body: PageElement): void {
  for (const link of [...body.querySelectorAll("a")]) {
    const isLocal = /#|^$/.test(link.getAttribute("href") ?? "");
    const isEmpty = link.querySelector("img") === null && PERMALINK.test(link.textContent.trim());
    if (isLocal && isEmpty && link.closest(TITLED) !== null) link.remove();
  }
  removeRules(body);
}

/** Removes rules at the start and the end, and those that follow another. */
function removeRules(body: PageElement): void {
  let last: PageElement | undefined;
  let hasText = false;
  const rules: PageElement[] = [];
  for (const node of nodesIn(body)) {
    if (node.nodeName === "HR") {
      const rule = node as PageElement;
      if (hasText) last = rule;
      else rules.push(rule);
      hasText = false;
    } else if (node.nodeName === "IMG" || (node.nodeType === 3 && /\S/.test(textOf(node)))) {
      hasText = true;
    }
  }
  if (!hasText && last !== undefined) rules.push(last);
  for (const rule of rules) rule.remove();
}

/** Yields every node in an element, in order, without recursion, because nesting may be deep. */
function* nodesIn(element: PageElement): Generator<PageNode> {
  let node: PageNode | null = element.firstChild;
  while (node !== null) {
    yield node;
    if (node.firstChild !== null) {
      node = node.firstChild;
      continue;
    }
    while (node !== null && node !== element && node.nextSibling === null) node = node.parentNode;
    if (node === null || node === element) return;
    node = node.nextSibling;
  }
}

function textOf(node: PageNode): string {
  return (node as PageElement).textContent;
}
