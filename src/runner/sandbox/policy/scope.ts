/** The granted values of a kind of permission; `true` grants every value. */
export type Scope = true | readonly string[];
