/// <reference lib="dom" />
/** The history of calls, which outlives a reload of the page. */
import type { HistoryRow } from "./page_types.ts";
import { rows } from "./state.ts";

const SECRET = /key|token|secret|password|authorization/i;
/** Masks the values of keys that are likely to be secrets. */
export const masked = (value: unknown, name = ""): unknown =>
  SECRET.test(name) && typeof value === "string"
    ? "***"
    : Array.isArray(value)
    ? value.map((each) => masked(each))
    : value && typeof value === "object"
    ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, masked(each, key)]))
    : value;

/** Reads the history of this tab. */
export function restore() {
  try {
    rows.value = JSON.parse(sessionStorage.getItem("calls") ?? "[]");
  } catch { /* It starts empty. */ }
}
function keep() {
  try {
    sessionStorage.setItem(
      "calls",
      JSON.stringify(
        rows.value.slice(-200).map(({ result: _, log: __, ...row }) => ({
          ...row,
          args: masked(row.args),
        })),
      ),
    );
  } catch { /* The storage is full: the history lasts as long as the page. */ }
}

/** Adds finished calls to the history, which keeps the last 10,000. */
export function remember(...more: HistoryRow[]) {
  rows.value = [...rows.value, ...more].slice(-10_000);
  keep();
}
