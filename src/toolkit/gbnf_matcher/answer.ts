/** What is known of what may come next; its fields are those of the tool's output. */
export interface Answer extends Record<string, unknown> {
  /** Whether the text is the start of one that fits. */
  can_complete: boolean;
  /** Whether it may end here. */
  is_complete: boolean;
  /** How many of its characters fit, where not all do. */
  left_at?: number;
  /** The characters that may come next, or could where the text went wrong. */
  next: { from: string; to: string }[];
  /** How many ranges of them there are. */
  next_ranges: number;
  /** What must come next, as far as there is one way only. */
  forced: string;
  /** Whether more than that is forced. */
  forced_goes_on: boolean;
  /** The ids of the tokens that may come next. */
  allowed?: number[];
  /** What leaves only those. */
  logit_bias?: Record<string, number>;
  /** What of the schema the grammar does not express. */
  left_out: string[];
}
