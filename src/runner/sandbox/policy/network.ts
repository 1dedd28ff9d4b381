import type { Grants } from "./grants.ts";
import { since } from "../linux/landlock.ts";
import type { ProgramNetwork } from "../linux/socket_rules.ts";

/** The network access of programs. */
export interface NetworkPlan {
  /** The sockets that they may make. */
  network: ProgramNetwork;
  /** The TCP ports that they may connect to; of use when only ports are open. */
  ports: number[];
  /** The reason why they have less than the flags name, if they do. */
  note?: string;
}

/**
 * The network access of programs under the flags. The kernel knows ports and no hosts. So a grant
 * of a host opens nothing for them, a grant of a port (`:443`) opens TCP to it, and a bare grant
 * opens TCP and UDP. `version` is Landlock's.
 */
export function networkFor({ all, allow, deny }: Grants, version: number): NetworkPlan {
  const none: NetworkPlan = { network: "none", ports: [] };
  if (deny.net === true) return { ...none, note: "--deny-net forbids it" };
  if (deny.net !== undefined) {
    const note = "the kernel cannot keep programs from one host, so --deny-net shuts them off";
    return { ...none, note: `${note} from every one` };
  }
  const net = all || allow.net;
  if (net === undefined) return none;
  if (net === true) return { network: "all", ports: [] };
  const ports = net.flatMap((each) => portOf(each) ?? []);
  const hosts = net.filter((each) => portOf(each) === undefined);
  const note = hosts.length === 0 ? {} : {
    note: `the kernel cannot hold --allow-net=${hosts.join(",")} for programs: it knows ports, ` +
      "not hosts; --allow-net=:PORT or a bare --allow-net would open the network to them",
  };
  if (ports.length === 0) return { ...none, ...note };
  if (version < since.ports) {
    return { ...none, note: "this kernel cannot hold single ports for programs (Linux 6.7 can)" };
  }
  return { network: "ports", ports, ...note };
}

/** The port of a grant that consists only of a port. */
function portOf(grant: string): number | undefined {
  const port = /^:(\d{1,5})$/.exec(grant)?.[1];
  return port !== undefined && Number(port) <= 65_535 ? Number(port) : undefined;
}
