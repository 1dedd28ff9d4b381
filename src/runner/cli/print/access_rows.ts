import type { Confinement } from "../../sandbox/describe_confinement.ts";
import { inline } from "./style.ts";

/** The most paths that one line lists. */
const MAX_PATHS = 6;

/** The directory of the program, whose files are not listed. */
interface Places {
  program: string;
}

type Values = true | readonly string[];

/** The text for a list of all directories of the system. The kernel's own files are not in it. */
const ALL_FILES = ["every file, except files of the kernel and files that a flag denies"];

function whole(values: Values): Values {
  return values === true || values.length === 0 ? values : ALL_FILES;
}

/** The files that the call may read and write, and the hosts that it may reach. */
export function accessRows(
  { runtime, kernel, missing }: Confinement,
  places: Places,
  grants: { read: boolean; write: boolean },
): [label: string, text: string][] {
  if (missing) return [];
  const rights = typeof runtime === "object" ? runtime : undefined;
  const files = typeof kernel === "object" ? kernel.files : undefined;
  const isOpen = rights === undefined && files === undefined;
  const read: Values = files?.read ?? rights?.read ?? (isOpen ? true : []);
  const write: Values = files?.write ?? rights?.write ?? (isOpen ? true : []);
  const system = typeof kernel === "object" && kernel.system !== undefined
    ? ["libraries and settings of the system"]
    : [];
  const execute = (files?.execute ?? []).filter((path) => !path.startsWith(places.program));
  return [
    ["may read", pathsText(grants.read ? whole(read) : read, places, system)],
    ["may write", pathsText(grants.write ? whole(write) : write, places)],
    ...(execute.length > 0 ? [["may run", pathsText(execute, places)] as [string, string]] : []),
    ["network", networkText({ runtime, kernel })],
  ];
}

function pathsText(values: Values, { program }: Places, more: readonly string[] = []): string {
  if (values === true) return "everything";
  const own = values.filter((path) => !path.startsWith(program));
  const named = own.map((path) =>
    path === "/"
      ? "everything"
      : path === "$TMPDIR"
      ? "a private temporary directory"
      : inline(path)
  );
  const all = [...named.slice(0, MAX_PATHS), ...more];
  const left = named.length - MAX_PATHS;
  if (left > 0) all.push(`${left} more`);
  return all.join(", ") || "nothing";
}

function networkText({ runtime, kernel }: Pick<Confinement, "runtime" | "kernel">): string {
  const programs = typeof kernel === "object" ? kernel.network?.access : undefined;
  if (programs !== undefined) return programs;
  if (typeof runtime !== "object") return runtime === "open" ? "everything" : "none";
  if (runtime.net === true) return "everything";
  return runtime.net.map(inline).join(", ") || "none";
}
