/**
 * The attacks of docs/attacks.md on paths, against the built
 * executable, as root and as an ordinary user. All tests of this file share one unpacked executable.
 */
// tier: machine
import "./paths.ts";
import "./working_day.ts";
