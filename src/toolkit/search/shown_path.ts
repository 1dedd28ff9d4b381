import { normalize } from "@std/path/posix/normalize";

/** Real paths as they are shown: as given, absolute or relative to the working folder. */
export function shownFrom(root: string, given = "."): (path: string) => string {
  const name = normalize(given).replace(/(.)\/$/, "$1");
  const prefix = name === "." ? "" : name.endsWith("/") ? name : name + "/";
  const start = root.endsWith("/") ? root.length : root.length + 1;
  return (path) => path === root ? name : prefix + path.slice(start);
}
