/** A page on its way from a server to a model. */

/** The largest page, in bytes after decompression. */
export const MAX_PAGE_BYTES = 10 * 1024 * 1024;

/** A page from a server. */
export interface FetchedPage {
  /** The final URL. */
  url: string;
  /** The HTTP status. */
  status: number;
  /** The Content-Type. */
  type: string;
  /** Its first {@link MAX_PAGE_BYTES} bytes. */
  bytes: Uint8Array<ArrayBuffer>;
  /** True if there was more. */
  isCut: boolean;
  /** The wait that the server asks for, in milliseconds. */
  retryAfterMs?: number;
}

/** A redirect to another host, which only the caller may follow. */
export interface Redirect {
  /** The URL that redirects. */
  from: string;
  /** The HTTP status. */
  status: number;
  /** The target of the redirect. */
  to: string;
}

/** The text of a page, for a model. */
export interface ReadablePage {
  /** The text; of HTML, Markdown. */
  text: string;
  /** The page's title, if it has one. */
  title?: string;
  /** Notes for the model, such as on truncation. */
  notes: string[];
}

/** The text of a page and its metadata. */
export interface ShownPage {
  /** The final URL. */
  url: string;
  /** The HTTP status; default: 200. */
  status?: number;
  /** The Content-Type. */
  type: string;
  /** Its size, in bytes. */
  size: number;
  /** Its title, or an empty text. */
  title: string;
  /** Its text. */
  text: string;
  /** Notes for the model, such as on truncation. */
  notes: string[];
}
