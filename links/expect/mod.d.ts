/** Types for the matchers of `@std/expect` that are used here. */
// deno-lint-ignore-file no-explicit-any
export interface Matchers {
  readonly not: Matchers;
  readonly resolves: AsyncMatchers;
  readonly rejects: AsyncMatchers;
  toBe(expected: unknown): void;
  toBeCloseTo(expected: number, numDigits?: number): void;
  toBeDefined(): void;
  toBeFalsy(): void;
  toBeGreaterThan(expected: number): void;
  toBeGreaterThanOrEqual(expected: number): void;
  toBeInstanceOf(expected: new (...args: any[]) => unknown): void;
  toBeLessThan(expected: number): void;
  toBeLessThanOrEqual(expected: number): void;
  toBeNull(): void;
  toBeTruthy(): void;
  toBeUndefined(): void;
  toContain(expected: unknown): void;
  toContainEqual(expected: unknown): void;
  toEqual(expected: unknown): void;
  toHaveLength(expected: number): void;
  toHaveProperty(path: string | string[], value?: unknown): void;
  toMatch(expected: RegExp | string): void;
  toMatchObject(expected: Record<PropertyKey, unknown>): void;
  toStrictEqual(expected: unknown): void;
  toThrow(expected?: string | RegExp | Error | (new (...args: any[]) => Error)): void;
}

export type AsyncMatchers = {
  [K in keyof Matchers]: Matchers[K] extends (...args: infer A) => void
    ? (...args: A) => Promise<void>
    : AsyncMatchers;
};

export function expect(value: unknown, message?: string): Matchers;
