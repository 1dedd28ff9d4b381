/**
 * Installs a filter that refuses one system call, as an older kernel or a container would. Then it
 * becomes another program. Arguments: a JSON object {call, errno, first?}, and the program with its
 * arguments.
 */
const [json, ...program] = Deno.args;
const { call, errno, first } = JSON.parse(json);
const { symbols: libc } = Deno.dlopen("libc.so.6", {
  prctl: { parameters: ["i32", "u64", "u64", "u64", "u64"], result: "i32" },
  syscall: { parameters: ["i64", "i64", "i64", "buffer"], result: "i64" },
  execv: { parameters: ["buffer", "buffer"], result: "i32" },
});
/** Numbers of system calls on x86-64. */
// deno-fmt-ignore
const NR = {
  capset: 126, prctl: 157, prlimit64: 302, seccomp: 317, close_range: 436, mount_setattr: 442,
  landlock_create_ruleset: 444, landlock_add_rule: 445, landlock_restrict_self: 446,
};
const [PR_SET_NO_NEW_PRIVS, ALLOW, ERRNO] = [38, 0x7fff0000, 0x00050000];
const refuse = ERRNO | errno;
/** Each instruction: its code, the jumps if true and if false, and its operand. */
const filter = [
  [0x20, 0, 0, 0], // the number
  [0x15, 0, first === undefined ? 1 : 3, NR[call]],
  ...(first === undefined ? [] : [[0x20, 0, 0, 16], [0x15, 0, 1, first]]),
  [0x06, 0, 0, refuse],
  [0x06, 0, 0, ALLOW],
];
const bytes = new DataView(new ArrayBuffer(8 * filter.length));
for (const [at, [code, yes, no, operand]] of filter.entries()) {
  bytes.setUint16(8 * at, code, true);
  bytes.setUint8(8 * at + 2, yes);
  bytes.setUint8(8 * at + 3, no);
  bytes.setUint32(8 * at + 4, operand, true);
}
const address = (buffer) => Deno.UnsafePointer.value(Deno.UnsafePointer.of(buffer));
const code = new Uint8Array(bytes.buffer);
const sock_fprog = new BigUint64Array([BigInt(filter.length), address(code)]);
if (Deno.uid() !== 0) libc.prctl(PR_SET_NO_NEW_PRIVS, 1n, 0n, 0n, 0n);
const SET_MODE_FILTER = 1n;
if (libc.syscall(BigInt(NR.seccomp), SET_MODE_FILTER, 0n, sock_fprog) !== 0n) {
  throw new Error("The filter was refused");
}
const words = program.map((word) => new TextEncoder().encode(`${word}\0`));
const pointers = new BigUint64Array([...words.map(address), 0n]);
libc.execv(words[0], pointers);
throw new Error(`Cannot start ${program[0]}`);
