/** `true` for everything of a kind of permission, else the values that were named. */
export type Scope = true | readonly string[];
