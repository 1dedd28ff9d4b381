/** The part of a page's document model that is used here; the runtime has no types of it. */

/** A node. */
export interface PageNode {
  /** 1 of an element, 3 of a text. */
  readonly nodeType: number;
  /** An element's name in capitals. */
  readonly nodeName: string;
  /** The first node in it, or null. */
  readonly firstChild: PageNode | null;
  /** The node after it, or null. */
  readonly nextSibling: PageNode | null;
  /** The node it is in, or null. */
  readonly parentNode: PageNode | null;
  /** The nodes right in it. */
  readonly childNodes: Iterable<PageNode>;
}

/** An element. */
export interface PageElement extends PageNode {
  /** The element it is in, or null. */
  readonly parentElement: PageElement | null;
  /** The elements right in it. */
  readonly children: ArrayLike<PageElement>;
  /** All of its text. */
  readonly textContent: string;
  /** An attribute, or null. */
  getAttribute(name: string): string | null;
  /** Returns whether it has that attribute. */
  hasAttribute(name: string): boolean;
  /** Sets an attribute. */
  setAttribute(name: string, value: string): void;
  /** The nearest element around it, itself too, that a selector fits. */
  closest(selector: string): PageElement | null;
  /** The first element in it that a selector fits. */
  querySelector(selector: string): PageElement | null;
  /** Every element in it that a selector fits. */
  querySelectorAll(selector: string): Iterable<PageElement>;
  /** Puts a node, or a text, at its end. */
  append(node: PageNode | string): void;
  /** Removes it from its parent. */
  remove(): void;
  /** Puts a text in its place. */
  replaceWith(text: string): void;
}

/** A document. */
export interface PageDocument extends PageElement {
  /** Its title; may be empty. */
  readonly title: string;
  /** Its outermost element. */
  readonly documentElement: PageElement;
  /** Its head. */
  readonly head: PageElement;
  /** Its body. */
  readonly body: PageElement;
}

/**
 * Yields every node in a node in order, with its depth. It does not recurse, because there may be a
 * million levels.
 */
export function* nodesIn(root: PageNode): Generator<{ node: PageNode; depth: number }> {
  let [node, depth] = [root.firstChild, 1];
  while (node !== null) {
    yield { node, depth };
    if (node.firstChild !== null) {
      node = node.firstChild;
      depth++;
      continue;
    }
    for (; node !== null && node !== root && node.nextSibling === null; depth--) {
      node = node.parentNode;
    }
    if (node === root) return;
    node = node?.nextSibling ?? null;
  }
}
