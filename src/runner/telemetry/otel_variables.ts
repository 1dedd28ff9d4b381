/** The variables of OpenTelemetry. They can hold credentials, so no tool may see them. */

import { readVariable } from "../../base/environment.ts";
import { KEPT_PREFIX } from "../own_environment.ts";

/** The prefix of the names of the variables. */
const PREFIX = "OTEL_";

/**
 * Returns the variables of OpenTelemetry, and removes them from this process: from its environment,
 * and on Linux also from the memory that the system shows as `/proc/PID/environ`. So no tool, and no
 * program that is started later, can find them.
 */
export function takeOtelVariables(): Record<string, string> {
  const erase = eraser();
  const variables: Record<string, string> = {};
  for (const name of Object.keys(Deno.env.toObject())) {
    const own = name.startsWith(KEPT_PREFIX) ? name.slice(KEPT_PREFIX.length) : name;
    if (!own.startsWith(PREFIX)) continue;
    const value = readVariable(name)!;
    // The head of the executable keeps the caller's value under the longer name.
    if (name !== own || variables[own] === undefined) variables[own] = value;
    erase(name, value);
    Deno.env.delete(name);
  }
  return variables;
}

/** Returns a function that overwrites the value of a variable in memory, where that is possible. */
function eraser(): (name: string, value: string) => void {
  if (Deno.build.os !== "linux") return () => {};
  try {
    const { symbols } = Deno.dlopen("libc.so.6", {
      getenv: { parameters: ["buffer"], result: "pointer" },
      memset: { parameters: ["pointer", "i32", "usize"], result: "pointer" },
    });
    const encoder = new TextEncoder();
    return (name, value) => {
      const place = symbols.getenv(encoder.encode(`${name}\0`));
      if (place !== null) symbols.memset(place, 0, BigInt(encoder.encode(value).length));
    };
  } catch {
    // Another C library. The variables still leave the environment.
    return () => {};
  }
}
