/**
 * The attacks of docs/attacks.md on protected and shared files, against the built
 * executable, as root and as an ordinary user. All tests of this file share one unpacked executable.
 */
// tier: machine
import "./protected.ts";
import "./mounts.ts";
import "./races.ts";
import "./write_races.ts";
