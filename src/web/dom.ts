/** The part of a page's document model that is used here; the runtime has no types of it. */

/** An element. */
export interface PageElement {
  /** Its name in capitals. */
  readonly nodeName: string;
  /** The elements right in it. */
  readonly children: ArrayLike<PageElement>;
  /** All of its text. */
  readonly textContent: string;
  /** An attribute, or null. */
  getAttribute(name: string): string | null;
  /** Whether it has that attribute. */
  hasAttribute(name: string): boolean;
  /** Sets an attribute. */
  setAttribute(name: string, value: string): void;
  /** The nearest element around it, itself too, that a selector fits. */
  closest(selector: string): PageElement | null;
  /** The first element in it that a selector fits. */
  querySelector(selector: string): PageElement | null;
  /** Every element in it that a selector fits. */
  querySelectorAll(selector: string): Iterable<PageElement>;
}

/** A document. */
export interface PageDocument extends PageElement {
  /** Its title; may be empty. */
  readonly title: string;
  /** Its body. */
  readonly body: PageElement;
}
