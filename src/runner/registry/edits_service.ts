/** The service that keeps the edits of files, so that they can be undone. */

/** An edit of a file that can be undone. */
export interface KeptEdit {
  /** The bytes before in base64. Absent if there was no file. */
  before?: string;
  /** The SHA-256 of the bytes afterwards, in hexadecimal digits. */
  after: string;
}

/** The edits of the session, by the real paths of files. No call can read them otherwise. */
export interface EditsService {
  /** Keeps an edit. At most ten of one file, and texts of at most 1 MiB, are kept. */
  push(file: string, edit: KeptEdit): Promise<void>;
  /** The last edit of a file, which stays. */
  last(file: string): Promise<KeptEdit | undefined>;
  /** Forgets the last edit of a file. */
  drop(file: string): Promise<void>;
}
