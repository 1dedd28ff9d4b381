/**
 * The attacks of docs/attacks.md on paths, programs and child processes, against the built
 * executable, as root and as an ordinary user. One file imports them, because all of them share one
 * unpacked executable.
 */
import "./paths.ts";
import "./protected.ts";
import "./mounts.ts";
import "./races.ts";
import "./write_races.ts";
import "./working_day.ts";
import "./telling.ts";
import "./network.ts";
import "./children.ts";
import "./descriptors.ts";
import "./planted_cache.ts";
import "./programs.ts";
import "./own_files.ts";
import "./planted.ts";
import "./fail_closed.ts";
import "./found.ts";
import "./survivors.ts";
import "./private_directory.ts";
