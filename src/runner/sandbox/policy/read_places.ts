import { decide, type Grants } from "./grants.ts";

/** The directories and files that the flags let calls read. `cwd` stands for a grant of everything. */
export function readPlaces(grants: Grants, cwd: string): readonly string[] {
  const { all, allow: { read = [] } } = grants;
  const places = all || read === true ? [cwd] : read;
  return places.filter((path) => decide({ name: "read", path }, grants).granted);
}
