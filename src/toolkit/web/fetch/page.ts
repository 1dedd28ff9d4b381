/** A page on its way from a server to a model. */

/** What a page may hold at most, in bytes, once it is decompressed. */
export const MAX_PAGE_BYTES = 10 * 1024 * 1024;

/** A page as the server gave it. */
export interface FetchedPage {
  /** Where it was in the end. */
  url: string;
  /** The HTTP status. */
  status: number;
  /** The Content-Type. */
  type: string;
  /** Its first {@link MAX_PAGE_BYTES} bytes. */
  bytes: Uint8Array<ArrayBuffer>;
  /** Whether there was more. */
  isCut: boolean;
  /** For how many milliseconds the server asks to be left alone, where it does. */
  retryAfterMs?: number;
}

/** A redirect to another host, which is for the caller to follow. */
export interface Redirect {
  /** The URL that redirects. */
  from: string;
  /** The HTTP status. */
  status: number;
  /** Where it leads. */
  to: string;
}

/** The text of a page, for a model. */
export interface PageText {
  /** The text; of HTML, Markdown. */
  text: string;
  /** The page's title, where it has one. */
  title?: string;
  /** What is not as one would think, for the model to know. */
  notes: string[];
}

/** The text of a page, and what is known of it. */
export interface ShownPage {
  /** Where it was in the end. */
  url: string;
  /** The HTTP status; 200 where it is not there. */
  status?: number;
  /** The Content-Type. */
  type: string;
  /** How long it was, in bytes. */
  size: number;
  /** Its title, or an empty text. */
  title: string;
  /** Its text. */
  text: string;
  /** What is not as one would think. */
  notes: string[];
}
