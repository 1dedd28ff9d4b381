// deno-lint-ignore-file no-console
/**
 * The attacking program. Deno runs it in the sandbox. It makes system calls that the sandbox must
 * refuse, and prints a line of JSON for each. A refusal has one of the five error numbers that the
 * sandbox answers with. Another error number is "unclear".
 * Arguments: a section, the pid of toolcall, and a JSON object.
 */
const [section, parent, json] = Deno.args;
const params = JSON.parse(json);
const toolcall = Number(parent);

const { symbols: libc } = Deno.dlopen("libc.so.6", {
  syscall: { parameters: ["i64", "i64", "i64", "i64", "i64", "i64", "i64"], result: "i64" },
  __errno_location: { parameters: [], result: "pointer" },
});
const errno = new Deno.UnsafePointerView(libc.__errno_location());
const ERRORS = { 1: "EPERM", 13: "EACCES", 30: "EROFS", 38: "ENOSYS", 95: "EOPNOTSUPP" };

/** Numbers of system calls on x86-64. */
// deno-fmt-ignore
const NR = {
  read: 0, write: 1, close: 3, mprotect: 10, ioctl: 16, io_setup: 206, shmget: 29, shmctl: 31, getpid: 39, socket: 41, connect: 42,
  sendto: 44, sendmsg: 46, bind: 49, listen: 50, socketpair: 53, setsockopt: 54, clone: 56,
  kill: 62, semget: 64, semctl: 66, msgget: 68, msgctl: 71, fcntl: 72, truncate: 76, rename: 82,
  creat: 85, link: 86, unlink: 87, symlink: 88, chmod: 90, chown: 92, ptrace: 101, rt_sigqueueinfo: 129,
  mknod: 133, setpriority: 141, sched_setscheduler: 144, pivot_root: 155, chroot: 161, mount: 165, umount2: 166, iopl: 172, init_module: 175,
  setxattr: 188, tkill: 200, tgkill: 234, mq_open: 240, mq_unlink: 241, add_key: 248,
  request_key: 249, keyctl: 250, ioprio_set: 251, openat: 257, linkat: 265, fchmodat: 268, unshare: 272, utimensat: 280,
  rt_tgsigqueueinfo: 297, perf_event_open: 298, prlimit64: 302, open_by_handle_at: 304,
  sendmmsg: 307, setns: 308, process_vm_readv: 310, process_vm_writev: 311, kcmp: 312,
  sched_setattr: 314, renameat2: 316, bpf: 321, userfaultfd: 323, pidfd_send_signal: 424, io_uring_setup: 425,
  io_uring_enter: 426, io_uring_register: 427, open_tree: 428, move_mount: 429, fsopen: 430,
  fsconfig: 431, fsmount: 432, fspick: 433, pidfd_open: 434, clone3: 435, openat2: 437,
  pidfd_getfd: 438, process_madvise: 440, mount_setattr: 442, statmount: 457, listmount: 458,
};
const X32 = 0x40000000;
const AT_FDCWD = -100;

/** Makes a system call. A negative result is the error number. */
function sys(number, ...args) {
  const [a = 0n, b = 0n, c = 0n, d = 0n, e = 0n, f = 0n] = args.map(word);
  const result = libc.syscall(BigInt(number), a, b, c, d, e, f);
  return result === -1n ? -errno.getInt32() : Number(result);
}

function word(value) {
  if (typeof value === "bigint") return value;
  if (typeof value === "number") return BigInt(value);
  if (typeof value === "string") return word(new TextEncoder().encode(`${value}\0`));
  kept.push(value);
  return Deno.UnsafePointer.value(Deno.UnsafePointer.of(value));
}
/** The values that the kernel got pointers to, so that the runtime does not free them. */
const kept = [];

/** Makes and reports one attempt. `act` returns the result of its last system call. */
function attempt(id, what, act) {
  let result = act();
  // The runtime may make a system call before the error number is read, and change the number.
  for (let i = 0; i < 5 && result < 0 && ERRORS[-result] === undefined; i++) result = act();
  const name = ERRORS[-result];
  const outcome = result >= 0 ? "escaped" : name !== undefined ? "refused" : "unclear";
  const detail = result >= 0 ? String(result) : name ?? `errno ${-result}`;
  console.log(JSON.stringify({ id, what, outcome, detail }));
}

function close(file) {
  if (file >= 0) sys(NR.close, file);
  return file;
}

/** struct sockaddr_in, _in6 and _un. */
function inet(port, host = [127, 0, 0, 1]) {
  return new Uint8Array([2, 0, port >> 8, port & 255, ...host, 0, 0, 0, 0, 0, 0, 0, 0]);
}
function inet6(port, host = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]) {
  return new Uint8Array([10, 0, port >> 8, port & 255, 0, 0, 0, 0, ...host, 0, 0, 0, 0]);
}
function unix(path, end = "\0") {
  return new Uint8Array([1, 0, ...new TextEncoder().encode(path + end)]);
}
const abstract = (name) => unix(`\0${name}`, "");
const [STREAM, DGRAM, RAW, SEQPACKET, SOCK_PACKET] = [1, 2, 3, 5, 10];
const CLOEXEC_NONBLOCK = 0o2004000;
const FASTOPEN = 0x20000000;
const data = new TextEncoder().encode("attack");

/** Opens a socket of a kind, and closes it. */
const open = (...kind) => () => close(sys(NR.socket, ...kind));
/** Opens a socket, connects it and writes to it. */
const reach = (kind, address) => () => {
  const socket = sys(NR.socket, ...kind);
  if (socket < 0) return socket;
  const result = sys(NR.connect, socket, address, address.length);
  if (result >= 0) sys(NR.write, socket, data, data.length);
  close(socket);
  return result;
};
const send = (kind, address, flags = 0) => () => {
  const socket = sys(NR.socket, ...kind);
  if (socket < 0) return socket;
  const result = sys(NR.sendto, socket, data, data.length, flags, address, address.length);
  close(socket);
  return result;
};
/** struct msghdr, with room for the length of struct mmsghdr. */
function message(address) {
  const vector = new BigUint64Array([word(data), BigInt(data.length)]);
  return new BigUint64Array([
    word(address),
    BigInt(address.length),
    word(vector),
    1n,
    0n,
    0n,
    0n,
    0n,
  ]);
}
const fastOpen = (how, address) => () => {
  const socket = sys(NR.socket, 2, STREAM, 0);
  if (socket < 0) return socket;
  const result = how === "sendmsg"
    ? sys(NR.sendmsg, socket, message(address), FASTOPEN)
    : sys(NR.sendmmsg, socket, message(address), 1, FASTOPEN);
  close(socket);
  return result;
};
const TCP_FASTOPEN_CONNECT = 30;
const lazyConnect = (address) => () => {
  const socket = sys(NR.socket, 2, STREAM, 0);
  if (socket < 0) return socket;
  sys(NR.setsockopt, socket, 6, TCP_FASTOPEN_CONNECT, new Uint32Array([1]), 4);
  let result = sys(NR.connect, socket, address, address.length);
  if (result >= 0) result = sys(NR.write, socket, data, data.length);
  close(socket);
  return result;
};
const serve = (call) => () => {
  const socket = sys(NR.socket, 2, STREAM, 0);
  if (socket < 0) return socket;
  const address = inet(0);
  const result = call === "bind"
    ? sys(NR.bind, socket, address, address.length)
    : sys(NR.listen, socket, 1);
  close(socket);
  return result;
};
/** Makes a socket pair, and calls `turn` with one end. */
const pair = (type, turn) => () => {
  const ends = new Int32Array(2);
  const result = sys(NR.socketpair, 1, type, 0, ends);
  if (result < 0) return result;
  const turned = turn(ends[0]);
  ends.forEach(close);
  return turned;
};
const toName = (address) => (end) => sys(NR.connect, end, address, address.length);

/** A `struct ifreq` that names the loopback interface. */
function interfaceRequest() {
  const request = new Uint8Array(256);
  request.set(new TextEncoder().encode("lo"));
  return request;
}

/**
 * Every way to a socket. `tcp`, `tcp6`, `udp` and `udp6` are ports. `path` and `name` belong to Unix
 * sockets.
 */
function sockets({ tcp, tcp6, udp, udp6, path, name }) {
  const mapped = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 127, 0, 0, 1];
  const list = [
    ["tcp4", "TCP over IPv4", reach([2, STREAM, 0], inet(tcp))],
    ["tcp4-named", "TCP over IPv4, protocol named", reach([2, STREAM, 6], inet(tcp))],
    ["tcp4-flags", "TCP with flags in the type", open(2, STREAM | CLOEXEC_NONBLOCK, 0)],
    ["tcp6", "TCP over IPv6", reach([10, STREAM, 0], inet6(tcp6))],
    ["tcp-mapped", "TCP over IPv6 to a mapped address", reach([10, STREAM, 0], inet6(tcp, mapped))],
    ["fast-sendto", "TCP Fast Open by sendto", send([2, STREAM, 0], inet(tcp), FASTOPEN)],
    ["fast-sendmsg", "TCP Fast Open by sendmsg", fastOpen("sendmsg", inet(tcp))],
    ["fast-sendmmsg", "TCP Fast Open by sendmmsg", fastOpen("sendmmsg", inet(tcp))],
    ["fast-connect", "TCP Fast Open by socket option", lazyConnect(inet(tcp))],
    ["udp4", "UDP over IPv4", send([2, DGRAM, 0], inet(udp))],
    ["udp4-connected", "UDP over IPv4, connected", reach([2, DGRAM, 17], inet(udp))],
    ["udp6", "UDP over IPv6", send([10, DGRAM, 0], inet6(udp6))],
    ["tcp-bind", "a bound TCP socket", serve("bind")],
    ["tcp-listen", "a listening TCP socket", serve("listen")],
    ["mptcp4", "MPTCP over IPv4", reach([2, STREAM, 262], inet(tcp))],
    ["mptcp6", "MPTCP over IPv6", reach([10, STREAM, 262], inet6(tcp6))],
    ["sctp", "SCTP", open(2, STREAM, 132)],
    ["sctp-seq", "SCTP in packets", open(2, SEQPACKET, 132)],
    ["udplite", "UDPLITE", open(2, DGRAM, 136)],
    ["dccp", "DCCP", open(2, 6, 33)],
    ["ping", "a ping socket", open(2, DGRAM, 1)],
    ["raw4", "raw IPv4", open(2, RAW, 1)],
    ["raw4-all", "raw IPv4, every protocol", open(2, RAW, 255)],
    ["raw6", "raw IPv6", open(10, RAW, 58)],
    ["inet-packet", "SOCK_PACKET over IPv4", open(2, SOCK_PACKET, 3)],
    ["netlink", "netlink, routes", open(16, RAW, 0)],
    ["netlink-events", "netlink, kernel events", open(16, DGRAM, 15)],
    ["packet", "packet, raw", open(17, RAW, 0x300)],
    ["packet-dgram", "packet, datagrams", open(17, DGRAM, 0x300)],
    ["vsock", "vsock", open(40, STREAM, 0)],
    ["alg", "the kernel's cryptography", open(38, SEQPACKET, 0)],
    ["xdp", "XDP", open(44, RAW, 0)],
    ["smc", "SMC", open(43, STREAM, 0)],
    ["bluetooth", "Bluetooth", open(31, RAW, 1)],
    ["key", "keys of IPsec", open(15, RAW, 2)],
    ["can", "CAN", open(29, RAW, 1)],
    ["tipc", "TIPC", open(30, STREAM, 0)],
    ["qipcrtr", "QIPCRTR", open(42, DGRAM, 0)],
    ["unix-stream", "a Unix socket by path", reach([1, STREAM, 0], unix(path))],
    ["unix-dgram", "Unix datagrams", open(1, DGRAM, 0)],
    ["unix-seq", "Unix packets", open(1, SEQPACKET, 0)],
    ["unix-abstract", "an abstract Unix socket", reach([1, STREAM, 0], abstract(name))],
    [
      "pair-dgram",
      "a pair of Unix datagram sockets, which can connect to other sockets",
      pair(DGRAM, () => 0),
    ],
    ["pair-raw", "a pair of raw Unix sockets", pair(RAW, () => 0)],
    [
      "pair-tcp",
      "a pair of TCP sockets",
      () => sys(NR.socketpair, 2, STREAM, 0, new Int32Array(2)),
    ],
    [
      "mac-address",
      "the MAC address of an interface, by a pair (SIOCGIFHWADDR)",
      pair(STREAM, (end) => sys(NR.ioctl, end, 0x8927, interfaceRequest())),
    ],
    [
      "interface-number",
      "the number of an interface, by a pair (SIOCGIFINDEX)",
      pair(STREAM, (end) => sys(NR.ioctl, end, 0x8933, interfaceRequest())),
    ],
    ["high-bits", "a socket whose family has high bits", open(1n | 1n << 32n, STREAM, 0)],
    ["x32", "a socket by the x32 entry point", () => close(sys(NR.socket | X32, 1, STREAM, 0))],
  ];
  for (const [id, what, act] of list) attempt(id, what, act);
}

/** Checks that a socket pair works, and tries to connect and send from it to other sockets. */
function pairs({ path, name, packets }) {
  const ends = new Int32Array(2);
  const made = sys(NR.socketpair, 1, STREAM, 0, ends);
  sys(NR.write, ends[0], data, data.length);
  const got = made === 0 ? sys(NR.read, ends[1], new Uint8Array(16), 16) : made;
  console.log(JSON.stringify({ works: got === data.length }));
  // The error numbers EISCONN and EINVAL also say that the socket cannot connect again.
  const asRefusal = (result) => result === -106 || result === -22 ? -13 : result;
  const names = [[STREAM, unix(path)], [STREAM, abstract(name)], [SEQPACKET, abstract(packets)]];
  for (const [at, [type, address]] of names.entries()) {
    attempt(
      `pair-connect ${at}`,
      "a pair that is connected anew",
      pair(type, (end) => asRefusal(toName(address)(end))),
    );
    attempt(
      `pair-send ${at}`,
      "a pair that sends elsewhere",
      // The kernel sends packets to the other end and ignores the address.
      pair(type, (end) => {
        const sent = asRefusal(sys(NR.sendto, end, data, data.length, 0, address, address.length));
        return type === SEQPACKET && sent === data.length ? -13 : sent;
      }),
    );
  }
}

/**
 * Signals. The default is number 0, which the kernel checks as any other. `threads`, `keeper` and
 * `group` belong to toolcall. `other` is another process of the user.
 */
function signals({ threads, keeper, group, other, signal = 0 }) {
  // siginfo_t: number, error, code SI_QUEUE
  const info = new Int32Array(32);
  info.set([signal, 0, -1]);
  const targets = [
    ["toolcall", toolcall],
    ...threads.filter((tid) => tid !== toolcall).map((tid, at) => [`thread ${at + 1}`, tid]),
    ["keeper", keeper],
    ["other", other],
  ];
  for (const [name, pid] of targets) {
    const leader = threads.includes(pid) ? toolcall : pid;
    attempt(`kill ${name}`, "kill", () => sys(NR.kill, pid, signal));
    attempt(`tkill ${name}`, "tkill", () => sys(NR.tkill, pid, signal));
    attempt(`tgkill ${name}`, "tgkill", () => sys(NR.tgkill, leader, pid, signal));
    attempt(`queue ${name}`, "rt_sigqueueinfo", () => sys(NR.rt_sigqueueinfo, pid, signal, info));
    attempt(
      `tgqueue ${name}`,
      "rt_tgsigqueueinfo",
      () => sys(NR.rt_tgsigqueueinfo, leader, pid, signal, info),
    );
    attempt(`pidfd ${name}`, "pidfd_send_signal", () => {
      const file = sys(NR.pidfd_open, leader, 0);
      const result = sys(NR.pidfd_send_signal, Math.max(file, 0), signal, 0, 0);
      close(file);
      return result;
    });
    attempt(`owner ${name}`, "fcntl F_SETOWN", pair(STREAM, (end) => sys(NR.fcntl, end, 8, pid)));
    attempt(
      `owner-ex ${name}`,
      "fcntl F_SETOWN_EX",
      pair(STREAM, (end) => sys(NR.fcntl, end, 15, new Int32Array([0, pid]))),
    );
    for (const [label, request] of [["FIOSETOWN", 0x8901], ["SIOCSPGRP", 0x8902]]) {
      attempt(
        `${label} ${name}`,
        `ioctl ${label}`,
        pair(STREAM, (end) => sys(NR.ioctl, end, request, new Int32Array([pid]))),
      );
    }
    attempt(
      `limits ${name}`,
      "prlimit",
      () => sys(NR.prlimit64, leader, 7, 0, new BigUint64Array(2)),
    );
  }
  attempt("kill all", "kill(-1)", () => sys(NR.kill, -1, 0));
  attempt("kill group", "kill of the group", () => sys(NR.kill, -group, signal));
  attempt(
    "kill group of pid",
    "kill of the group of the pid",
    () => sys(NR.kill, -toolcall, signal),
  );
}

/** Makes toolcall the owner of a socket whose input raises SIGIO, which ends a process. */
function sigio() {
  const ends = new Int32Array(2);
  sys(NR.socketpair, 1, STREAM, 0, ends);
  const [F_SETFL, O_ASYNC] = [4, 0o20000];
  const owner = sys(NR.ioctl, ends[0], 0x8901, new Int32Array([toolcall]));
  sys(NR.fcntl, ends[0], F_SETFL, O_ASYNC);
  sys(NR.write, ends[1], data, data.length);
  attempt("sigio", "SIGIO by ioctl FIOSETOWN", () => owner);
}

/** The memory of other processes, and parts of the kernel that bypass a check of paths. */
function kernel() {
  const make = (call, ...args) => () => close(sys(call, ...args));
  const buffer = new Uint8Array(16);
  const vector = () => new BigUint64Array([word(buffer), 8n]);
  const remote = new BigUint64Array([BigInt(params.address ?? 0x400000), 8n]);
  const remove = (call, control, args) => () => {
    const id = sys(call, ...args);
    if (id >= 0) sys(control, id, 0, 0);
    if (id >= 0 && call === NR.semget) sys(control, id, 0, 0);
    return id;
  };
  const mounts = new BigUint64Array(1);
  // struct mnt_id_req, with LSMT_ROOT instead of a mount.
  const mountRequest = (mount, param = 0n) => new BigUint64Array([24n, mount, param]);
  const ALL_MOUNTS = 0xffff_ffff_ffff_ffffn;
  const perf = new Uint8Array(128);
  new DataView(perf.buffer).setUint32(0, 1, true); // software
  new DataView(perf.buffer).setUint32(4, 128, true);
  new DataView(perf.buffer).setUint32(40, 0x61, true); // disabled, without kernel and hypervisor
  const NEWUSER = 0x10000000;
  // The temporary directory of the call is new, so nothing has this name.
  const missing = `${Deno.env.get("TMPDIR")}/missing`;
  // It returns 0, which is no descriptor, and the process keeps the context until it ends.
  const aio = () => sys(NR.io_setup, 1, new BigUint64Array(1));
  const list = [
    ["aio", "io_setup, which takes contexts of the whole machine", aio],
    ["io_uring", "io_uring_setup", make(NR.io_uring_setup, 4, new Uint8Array(120))],
    ["io_uring-enter", "io_uring_enter", make(NR.io_uring_enter, 0)],
    ["io_uring-register", "io_uring_register", make(NR.io_uring_register, -1)],
    // PTRACE_SEIZE stops nothing.
    ["ptrace", "ptrace of toolcall", make(NR.ptrace, 0x4206, toolcall)],
    [
      "vm-read",
      "process_vm_readv",
      () => sys(NR.process_vm_readv, toolcall, vector(), 1, remote, 1, 0),
    ],
    [
      "vm-write",
      "process_vm_writev",
      () => sys(NR.process_vm_writev, toolcall, vector(), 1, new BigUint64Array([1n, 0n]), 1, 0),
    ],
    ["madvise", "process_madvise", make(NR.process_madvise, -1)],
    ["kcmp", "kcmp", () => sys(NR.kcmp, Deno.pid, toolcall, 1)],
    ["getfd", "pidfd_getfd", () => {
      const file = sys(NR.pidfd_open, toolcall, 0);
      const taken = close(sys(NR.pidfd_getfd, file, 0, 0));
      close(file);
      return taken;
    }],
    ["perf", "perf_event_open", make(NR.perf_event_open, perf, 0, -1, -1, 0)],
    ["bpf", "bpf", make(NR.bpf, 0, new Uint32Array([2, 4, 4, 1, 0, 0, 0, 0, 0, 0, 0, 0]), 48)],
    ["keyctl", "keyctl", () => sys(NR.keyctl, 0, -2, 1)],
    ["add_key", "add_key", () => sys(NR.add_key, "user", "toolcall-test", "x", 1, -2)],
    ["request_key", "request_key", () => sys(NR.request_key, "user", "toolcall-test", 0, 0)],
    ["userfaultfd", "userfaultfd", make(NR.userfaultfd, 1)],
    ["mount", "mount", () => sys(NR.mount, "none", missing, "tmpfs", 0, 0)],
    ["umount", "umount2", () => sys(NR.umount2, missing, 0)],
    ["pivot_root", "pivot_root", () => sys(NR.pivot_root, missing, missing)],
    ["chroot", "chroot", () => sys(NR.chroot, missing)],
    ["fsopen", "fsopen", make(NR.fsopen, "tmpfs", 0)],
    ["fsconfig", "fsconfig", make(NR.fsconfig, -1)],
    ["fsmount", "fsmount", make(NR.fsmount, -1)],
    ["fspick", "fspick", make(NR.fspick, AT_FDCWD, "/", 0)],
    ["open_tree", "open_tree", make(NR.open_tree, AT_FDCWD, "/", 1)],
    ["move_mount", "move_mount", () => sys(NR.move_mount, -1, "", -1, "", 0)],
    ["mount_setattr", "mount_setattr", () => sys(NR.mount_setattr, -1, "", 0, 0, 0)],
    ["listmount", "listmount", () => sys(NR.listmount, mountRequest(ALL_MOUNTS), mounts, 1, 0)],
    ["statmount", "statmount", () => {
      sys(NR.listmount, mountRequest(ALL_MOUNTS), mounts, 1, 0);
      // STATMOUNT_SB_BASIC
      return sys(NR.statmount, mountRequest(mounts[0], 1n), new Uint8Array(4096), 4096, 0);
    }],
    ["unshare-user", "unshare of users", () => sys(NR.unshare, NEWUSER)],
    ["unshare-mount", "unshare of mounts", () => sys(NR.unshare, 0x20000)],
    ["setns", "setns", () => {
      const file = sys(NR.pidfd_open, toolcall, 0);
      const result = sys(NR.setns, file, 0x04000000);
      close(file);
      return result;
    }],
    ["open_by_handle", "open_by_handle_at", make(NR.open_by_handle_at, AT_FDCWD, buffer, 0)],
    ["shmget", "shmget", remove(NR.shmget, NR.shmctl, [0, 4096, 0o1600])],
    ["msgget", "msgget", remove(NR.msgget, NR.msgctl, [0, 0o1600])],
    ["semget", "semget", remove(NR.semget, NR.semctl, [0, 1, 0o1600])],
    ["mq_open", "mq_open", () => {
      const queue = close(sys(NR.mq_open, `toolcall-${Deno.pid}`, 0o102, 0o600, 0));
      if (queue >= 0) sys(NR.mq_unlink, `toolcall-${Deno.pid}`);
      return queue;
    }],
    ["x32-getpid", "getpid by the x32 entry point", () => sys(NR.getpid | X32)],
    ["x32-ptrace", "ptrace by the x32 entry point", () => sys(521 | X32, 0x4206, toolcall)],
    ["x32-openat", "openat by the x32 entry point", make(NR.openat | X32, AT_FDCWD, "/", 0)],
    ["init_module", "init_module", () => sys(NR.init_module, 0, 0, "")],
    ["iopl", "iopl", () => sys(NR.iopl, 3)],
    ["memory device", "mknod of /dev/mem", () => {
      const made = sys(NR.mknod, "memory", 0o20600, 0x101);
      if (made >= 0) sys(NR.unlink, "memory");
      return made;
    }],
    ...(params.harmless ? [] : [
      ["clone", "clone with a namespace of users", () => sys(NR.clone, NEWUSER | 17)],
      ["clone3", "clone3", () => sys(NR.clone3, 0, 0) === -38 ? -38 : 0],
    ]),
  ];
  for (const [id, what, act] of list) attempt(id, what, act);
}

/**
 * Changes files by system calls that the programs of other attacks do not make. `outside` is the
 * directory with the secret.
 */
function files({ outside, inside }) {
  const secret = `${outside}/secret`;
  const [EXCHANGE, O_WRONLY, O_CREAT, O_TMPFILE, O_TRUNC] = [2, 1, 0o100, 0o20200000, 0o1000];
  const make = (call, ...args) => () => close(sys(call, ...args));
  const how = (flags) => new BigUint64Array([BigInt(flags), 0n, 0n]);
  // The error EXDEV means that Landlock does not let a file leave its directory.
  const across = (act) => () => {
    const result = act();
    return result === -18 ? -13 : result;
  };
  const list = [
    ["open", "open", make(NR.openat, AT_FDCWD, secret, 0)],
    ["openat2", "openat2", make(NR.openat2, AT_FDCWD, secret, how(0), 24)],
    [
      "open-truncate",
      "open that cuts what it only reads",
      make(NR.openat, AT_FDCWD, secret, O_TRUNC),
    ],
    ["open-write", "open for writing", make(NR.openat, AT_FDCWD, secret, O_WRONLY)],
    ["creat", "creat", make(NR.creat, `${outside}/new`, 0o600)],
    ["tmpfile", "O_TMPFILE", make(NR.openat, AT_FDCWD, outside, O_TMPFILE | O_WRONLY, 0o600)],
    ["truncate", "truncate", () => sys(NR.truncate, secret, 0)],
    [
      "link-in",
      "link of the secret into the grant",
      across(() => sys(NR.link, secret, `${inside}/hard`)),
    ],
    [
      "link-out",
      "link of a file out of the grant",
      across(() => sys(NR.link, `${inside}/mine`, `${outside}/hard`)),
    ],
    [
      "exchange",
      "renameat2 with RENAME_EXCHANGE",
      across(() => sys(NR.renameat2, AT_FDCWD, `${inside}/mine`, AT_FDCWD, secret, EXCHANGE)),
    ],
    [
      "rename-in",
      "rename of the secret into the grant",
      across(() => sys(NR.rename, secret, `${inside}/moved`)),
    ],
    [
      "rename-over",
      "rename over the secret",
      across(() => sys(NR.rename, `${inside}/mine`, secret)),
    ],
    ["unlink", "unlink", () => sys(NR.unlink, secret)],
    ["symlink", "symlink", () => sys(NR.symlink, "/", `${outside}/link`)],
    ["fifo", "mknod of a FIFO", () => sys(NR.mknod, `${outside}/fifo`, 0o10600, 0)],
    ["socket", "mknod of a socket", () => sys(NR.mknod, `${inside}/socket`, 0o140600, 0)],
    [
      "tmpfile-out",
      "a file without a name, linked out",
      across(() => {
        const file = sys(NR.openat, AT_FDCWD, inside, O_TMPFILE | O_WRONLY, 0o600);
        if (file < 0) return file;
        const AT_EMPTY_PATH = 0x1000;
        const result = sys(NR.linkat, file, "", AT_FDCWD, `${outside}/linked`, AT_EMPTY_PATH);
        close(file);
        // Without capabilities the file cannot be linked by an empty name.
        return result === -2 ? -13 : result;
      }),
    ],
    ["path descriptor", "open by a descriptor that is only a path", () => {
      const directory = sys(NR.openat, AT_FDCWD, outside, 0o10000000);
      if (directory < 0) return directory;
      const result = close(sys(NR.openat, directory, "secret", 0));
      close(directory);
      return result;
    }],
    [
      "create",
      "open that creates",
      make(NR.openat, AT_FDCWD, `${outside}/new`, O_CREAT | O_WRONLY, 0o600),
    ],
  ];
  for (const [id, what, act] of list) attempt(id, what, act);
}

/** Changes metadata of a file, which Landlock does not restrict. */
function metadata({ file }) {
  attempt("chmod", "chmod", () => sys(NR.chmod, file, 0o640));
  attempt("fchmodat", "fchmodat", () => sys(NR.fchmodat, AT_FDCWD, file, 0o640));
  attempt("chown", "chown to the same user", () => sys(NR.chown, file, Deno.uid(), Deno.gid()));
  attempt(
    "utime",
    "utimensat",
    () => sys(NR.utimensat, AT_FDCWD, file, new BigInt64Array([86_400n, 0n, 86_400n, 0n]), 0),
  );
  attempt("setxattr", "setxattr", () => sys(NR.setxattr, file, "user.toolcall", "x", 1, 0));
}

/** The attributes that an open file has (FS_IOC_GETFLAGS), with one more. */
function withNoAtime(file) {
  const flags = new Uint32Array(2);
  sys(NR.ioctl, file, 0x80086601, flags);
  flags[0] |= 0x80;
  return flags;
}

/** Requests of `ioctl`, each with its file, its argument, and whether it can harm the machine. */
const REQUESTS = [
  // Attributes, versions, encryption, verity, and other changes of a file by a descriptor.
  ["FS_IOC_SETFLAGS", 0x40086602, "file", withNoAtime],
  ["FS_IOC_SETFLAGS of a directory", 0x40086602, "directory", withNoAtime],
  ["FS_IOC32_SETFLAGS", 0x40046602, "file", withNoAtime],
  ["FS_IOC_FSSETXATTR", 0x401c5820, "file", () => new Uint32Array([0x40, 0, 0, 0, 0, 0, 0])],
  ["FS_IOC_SETVERSION", 0x40087602, "file", () => new Uint32Array([7, 0])],
  ["FS_IOC32_SETVERSION", 0x40047602, "file", () => new Uint32Array([7, 0])],
  ["EXT4_IOC_SETVERSION", 0x40086604, "file", () => new Uint32Array([7, 0])],
  ["EXT4_IOC_GROUP_EXTEND", 0x40086607, "file"],
  ["EXT4_IOC_MIGRATE", 0x6609, "file"],
  ["EXT4_IOC_ALLOC_DA_BLKS", 0x660c, "file"],
  ["EXT4_IOC_MOVE_EXT", 0xc028660f, "file"],
  ["EXT4_IOC_RESIZE_FS", 0x40086610, "file"],
  ["EXT4_IOC_SWAP_BOOT", 0x6611, "file"],
  ["EXT4_IOC_CLEAR_ES_CACHE", 0x6628, "file"],
  ["EXT4_IOC_CHECKPOINT", 0x4004662b, "file", () => new Uint32Array([4])],
  ["EXT4_IOC_SETFSUUID", 0x4008662c, "file"],
  ["FS_IOC_SET_ENCRYPTION_POLICY", 0x800c6613, "directory"],
  ["FS_IOC_ADD_ENCRYPTION_KEY", 0xc0506617, "directory"],
  ["FS_IOC_REMOVE_ENCRYPTION_KEY", 0xc0406618, "directory"],
  ["FS_IOC_ENABLE_VERITY", 0x40806685, "file"],
  ["FS_IOC_SETFSLABEL", 0x41009432, "directory"],
  ["XFS_IOC_ALLOCSP64", 0x40305824, "file"],
  ["XFS_IOC_RESVSP64", 0x4030582a, "file"],
  ["XFS_IOC_SWAPEXT", 0xc0c0586d, "file"],
  ["XFS_IOC_EXCHANGE_RANGE", 0x40285881, "file"],
  ["FIFREEZE", 0xc0045877, "directory", undefined, "harms"],
  ["FITHAW", 0xc0045878, "directory", undefined, "harms"],
  ["FITRIM", 0xc0185879, "directory", undefined, "harms"],
  ["XFS_IOC_GOINGDOWN", 0x8004587d, "directory", undefined, "harms"],
  ["FAT_IOCTL_SET_ATTRIBUTES", 0x40047211, "file", () => new Uint32Array([1])],
  ["F2FS_IOC_START_ATOMIC_WRITE", 0xf501, "file"],
  ["F2FS_IOC_MOVE_RANGE", 0xc020f509, "file"],
  ["F2FS_IOC_SET_PIN_FILE", 0x4004f50d, "file"],
  // Requests of Btrfs that create, remove and lock subvolumes, or that read and write without a path.
  ["BTRFS_IOC_SUBVOL_CREATE", 0x5000940e, "directory", () => btrfsName("made")],
  ["BTRFS_IOC_SUBVOL_CREATE_V2", 0x50009418, "directory", () => btrfsName("made2", 56)],
  ["BTRFS_IOC_SNAP_CREATE", 0x50009401, "directory", () => btrfsName("snap", 8, params.source)],
  [
    "BTRFS_IOC_SNAP_CREATE_V2",
    0x50009417,
    "directory",
    () => btrfsName("snap2", 56, params.source),
  ],
  ["BTRFS_IOC_SUBVOL_SETFLAGS", 0x4008941a, "source", () => new Uint32Array([2, 0])],
  ["BTRFS_IOC_SNAP_DESTROY", 0x5000940f, "directory", () => btrfsName("made")],
  ["BTRFS_IOC_SNAP_DESTROY_V2", 0x5000943f, "directory", () => btrfsName("made2", 56)],
  ["BTRFS_IOC_DEFRAG", 0x50009402, "file"],
  ["BTRFS_IOC_TREE_SEARCH", 0xd0009411, "directory"],
  ["BTRFS_IOC_INO_LOOKUP", 0xd0009412, "directory", () => new Uint8Array(4096)],
  ["BTRFS_IOC_DEFAULT_SUBVOL", 0x40089413, "directory"],
  ["BTRFS_IOC_SET_RECEIVED_SUBVOL", 0xc0c09425, "directory"],
  ["BTRFS_IOC_ENCODED_READ", 0x80809440, "file"],
  ["BTRFS_IOC_ENCODED_WRITE", 0x40809440, "file"],
];

/** struct btrfs_ioctl_vol_args, or _v2 with the name at byte 56: a descriptor and a name. */
function btrfsName(name, at = 8, source) {
  const args = new Uint8Array(4096);
  if (source !== undefined) {
    new DataView(args.buffer).setBigInt64(0, BigInt(sys(NR.openat, AT_FDCWD, source, 0)), true);
  }
  args.set(new TextEncoder().encode(name), at);
  return args;
}

/**
 * Tries to bypass the checks by a descriptor that is open for reading. `file`, `directory` and
 * `source`, the directory of a subvolume, are paths. With `harmless`, requests that would harm the
 * machine if nothing refused them are omitted.
 */
function descriptors(paths) {
  for (const [name, request, on, argument, harms] of REQUESTS) {
    if (harms && paths.harmless) continue;
    attempt(name, "ioctl", () => {
      const file = sys(NR.openat, AT_FDCWD, paths[on] ?? paths.directory, 0);
      if (file < 0) throw new Error(`Cannot open ${paths[on]}`);
      const result = sys(NR.ioctl, file, request, argument?.(file) ?? new Uint8Array(4096));
      close(file);
      return result;
    });
  }
  for (const [name, command] of [["F_SETLEASE", 1024], ["F_SETDELEG", 1040]]) {
    if (name === "F_SETDELEG" && paths.harmless) continue;
    attempt(name, "fcntl", () => {
      const file = sys(NR.openat, AT_FDCWD, paths.file, 0);
      const result = sys(NR.fcntl, file, command, 0);
      close(file);
      return result;
    });
  }
}

/** Makes the usual requests of programs to files, pipes and sockets. Prints whether each works. */
function ordinary({ file }) {
  const ends = new Int32Array(2);
  sys(NR.socketpair, 1, STREAM, 0, ends);
  sys(NR.write, ends[1], data, data.length);
  const open = sys(NR.openat, AT_FDCWD, file, 2);
  const number = new Int32Array(1024);
  const list = [
    ["FIONREAD", () => sys(NR.ioctl, ends[0], 0x541b, number) === 0 && number[0] === data.length],
    ["FIONBIO", () => sys(NR.ioctl, ends[0], 0x5421, new Int32Array([1])) === 0],
    ["FIOCLEX", () => sys(NR.ioctl, open, 0x5451) === 0],
    ["FIGETBSZ", () => sys(NR.ioctl, open, 2, number) === 0 && number[0] >= 512],
    // The sandbox does not refuse requests that a file system may lack. A file is no terminal or disk.
    ["FS_IOC_GETFLAGS", () => isAnswered(sys(NR.ioctl, open, 0x80086601, number))],
    ["FS_IOC_FSGETXATTR", () => isAnswered(sys(NR.ioctl, open, 0x801c581f, number))],
    ["FS_IOC_GETVERSION", () => isAnswered(sys(NR.ioctl, open, 0x80087601, number))],
    ["FS_IOC_FIEMAP", () => isAnswered(sys(NR.ioctl, open, 0xc020660b, new Uint8Array(4096)))],
    ["FICLONE", () => isAnswered(sys(NR.ioctl, open, 0x40049409, open))],
    ["TCGETS", () => sys(NR.ioctl, open, 0x5401, number) === -ENOTTY],
    ["BLKGETSIZE64", () => sys(NR.ioctl, open, 0x80081272, number) === -ENOTTY],
    ["nice", () => sys(NR.setpriority, 0, 0, 10) === 0],
    ["ionice", () => sys(NR.ioprio_set, 1, 0, 3 << 13) === 0],
    ["batch", () => sys(NR.sched_setscheduler, 0, 3, new Int32Array(1)) === 0],
  ];
  for (const [id, act] of list) console.log(JSON.stringify({ id, works: act() }));
}
const ENOTTY = 25;
const isAnswered = (result) => result !== -1 && result !== -13;

/** Creates files in `directory` with a set-user-id or set-group-id bit, with and without a name. */
function modes({ directory }) {
  const O_TMPFILE = 0o20200000;
  for (const mode of [0o4755, 0o2755, 0o6755]) {
    const name = mode.toString(8);
    for (const [call, ...to] of [["openat", AT_FDCWD], ["open"]]) {
      attempt(`${call} ${name}`, "O_TMPFILE", () => {
        const number = call === "open" ? 2 : NR.openat;
        return close(sys(number, ...to, directory, O_TMPFILE | 1, mode));
      });
      attempt(`${call} O_CREAT ${name}`, "O_CREAT", () => {
        const path = `${directory}/${call}-${name}`;
        const number = call === "open" ? 2 : NR.openat;
        return close(sys(number, ...to, path, 0o101, mode));
      });
    }
  }
}

/** Changes the priority of another process of the user, whose number is `other`. */
function priorities({ other }) {
  const [PRIO_PROCESS, PRIO_PGRP, PRIO_USER] = [0, 1, 2];
  const [BATCH, IDLE, RESET_ON_FORK] = [3, 5, 0x40000000];
  // struct sched_attr: size, policy, flags, nice
  const attr = new DataView(new ArrayBuffer(48));
  attr.setUint32(0, 48, true);
  attr.setInt32(16, 19, true);
  const none = new Int32Array(1);
  const list = [
    ["setpriority of the user", () => sys(NR.setpriority, PRIO_USER, 0, 19)],
    ["setpriority of the process", () => sys(NR.setpriority, PRIO_PROCESS, other, 19)],
    ["setpriority of the group", () => sys(NR.setpriority, PRIO_PGRP, 0, 19)],
    ["ioprio_set of the user", () => sys(NR.ioprio_set, 3, 0, 3 << 13)],
    ["ioprio_set of the process", () => sys(NR.ioprio_set, 1, other, 3 << 13)],
    ["ioprio_set of the group", () => sys(NR.ioprio_set, 2, 0, 3 << 13)],
    ["sched_setattr", () => sys(NR.sched_setattr, other, new Uint8Array(attr.buffer), 0)],
    ["sched_setscheduler batch", () => sys(NR.sched_setscheduler, other, BATCH, none)],
    [
      "sched_setscheduler idle",
      () => sys(NR.sched_setscheduler, other, IDLE | RESET_ON_FORK, none),
    ],
  ];
  for (const [id, act] of list) attempt(id, "priority", act);
}

const sections = { sockets, pairs, signals, sigio, kernel, files, metadata };
({ ...sections, descriptors, ordinary, modes, priorities })[section](params);
