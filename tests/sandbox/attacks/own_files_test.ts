/**
 * The attacks of docs/attacks.md on toolcall's own files, against the built
 * executable, as root and as an ordinary user. All tests of this file share one unpacked executable.
 */
// tier: machine
import "./planted_cache.ts";
import "./own_files.ts";
import "./planted.ts";
