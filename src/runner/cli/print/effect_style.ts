import type { SideEffect } from "../../registry/define.ts";
import type { Style } from "./style.ts";

const styles: Readonly<Record<SideEffect, Style>> = {
  none: "green",
  read_only: "green",
  network: "yellow",
  blocking: "yellow",
  mutating: "red",
  spawns: "red",
};

/** How a side effect looks: green changes nothing, yellow reaches out or waits, red changes. */
export function effectStyle(effect: SideEffect): Style {
  return styles[effect];
}
