/**
 * The attacks of docs/attacks.md on limits, the end of a call and the shells of sessions, against the built
 * executable, as root and as an ordinary user. All tests of this file share one unpacked executable.
 */
// tier: machine
import "./fail_closed.ts";
import "./found.ts";
import "./survivors.ts";
import "./private_directory.ts";
import "./sessions.ts";
