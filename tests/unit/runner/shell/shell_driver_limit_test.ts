/** Commands that ignore each interrupt. The shell ends when all time limits have passed: 5 s. */
// tier: machine
import { prints, testHanging } from "./open_shell.ts";

testHanging(["trap '' INT; echo trapped; while :; do :; done", prints("trapped"), false]);
testHanging(["builtin() { :; }; echo defined", prints("defined"), false]);
