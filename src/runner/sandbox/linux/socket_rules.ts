import { type AddRule, allow, anyBit, fail, oneOf } from "./bpf.ts";

/** The network access of programs: nothing, TCP to named ports, or TCP and UDP. */
export type ProgramNetwork = "none" | "ports" | "all";

const [EACCES, EOPNOTSUPP] = [13, 95];
const MSG_FASTOPEN = 0x20000000;
const [AF_UNIX, AF_INET, AF_INET6] = [1, 2, 10];
const [SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET, SOCK_TYPE] = [1, 2, 5, 0xf];
const [IPPROTO_TCP, IPPROTO_UDP] = [6, 17];

/** The whole argument is compared. */
const WHOLE = 0xffffffff;

/** The sockets that programs may make, and how they may be used. */
export function socketRules(rule: AddRule, network: ProgramNetwork): void {
  // An unconnected pair could still be connected to a name.
  const pair = oneOf([1, SOCK_TYPE, SOCK_STREAM, SOCK_SEQPACKET], allow, fail(EACCES));
  const tcp = oneOf([2, WHOLE, 0, IPPROTO_TCP], allow, fail(EACCES));
  const udp = network === "all"
    ? oneOf([2, WHOLE, 0, IPPROTO_UDP], allow, fail(EACCES))
    : fail(EACCES);
  const kind = oneOf(
    [1, SOCK_TYPE, SOCK_STREAM],
    tcp,
    oneOf([1, SOCK_TYPE, SOCK_DGRAM], udp, fail(EACCES)),
  );
  const socket = network === "none"
    ? fail(EACCES)
    : oneOf([0, WHOLE, AF_INET, AF_INET6], kind, fail(EACCES));
  // Data in the first packet connects without the call that Landlock looks at.
  const fastOpen = (arg: number) => anyBit([arg, MSG_FASTOPEN], fail(EOPNOTSUPP), allow);
  rule("socketpair", oneOf([0, WHOLE, AF_UNIX], pair, fail(EACCES)));
  rule("socket", socket);
  rule("sendto", fastOpen(3));
  rule("sendmsg", fastOpen(2));
  rule("sendmmsg", fastOpen(3));
  // A socket that listens without an address gets a port that no rule has seen.
  rule("listen", network === "all" ? allow : fail(EACCES));
}
