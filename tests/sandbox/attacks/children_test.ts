/**
 * The attacks of docs/attacks.md on programs and their children, against the built
 * executable, as root and as an ordinary user. All tests of this file share one unpacked executable.
 */
// tier: machine
import "./telling.ts";
import "./network.ts";
import "./children.ts";
import "./descriptors.ts";
import "./programs.ts";
