/** Attacks S1 and S2 of docs/attacks.md: the sockets that child processes create and connect. */
import { expect } from "@std/expect";
import { type Servers, startServers } from "./servers.ts";
import {
  attackCommand,
  attackFlags,
  type Attempt,
  attemptsIn,
  bash,
  makeWorld,
  Tally,
  testAs,
  testInShells,
  type World,
} from "./world.ts";

/** How many ways to create a socket the attacking program tries. */
const WAYS = 49;
/** The ways that a bare `--allow-net` opens. */
const OPENED = [
  ...["tcp4", "tcp4-named", "tcp4-flags", "tcp6", "tcp-mapped", "fast-connect"],
  ...["udp4", "udp4-connected", "udp6", "tcp-bind", "tcp-listen"],
  ...["mac-address", "interface-number"],
];
/** The ways that work without the sandbox. The other ones need features that some kernels lack. */
const UNCONFINED = [
  ...OPENED,
  ...["mptcp4", "mptcp6", "netlink", "netlink-events", "vsock", "pair-dgram", "pair-raw"],
  ...["unix-stream", "unix-dgram", "unix-seq", "unix-abstract", "high-bits"],
];
/** The ways that work without the sandbox only for root. */
const ROOT_UNCONFINED = ["raw4", "raw4-all", "raw6", "packet", "packet-dgram"];

async function trySockets(world: World, servers: Servers, more: string[]): Promise<Attempt[]> {
  const { tcp, tcp6, udp, udp6, path, name } = servers;
  const command = attackCommand(world, "sockets", { tcp, tcp6, udp, udp6, path, name });
  return attemptsIn(await bash(world, command, { flags: attackFlags(world, more) }));
}

testInShells(
  "children > S1 S2 a program can only make socket pairs without --allow-net",
  async (t, user) => {
    const world = makeWorld(user);
    await using servers = await startServers(world.G);
    const { path, name, packets, tcp, udp } = servers;
    await t.step("the other sockets work without the sandbox", async () => {
      const attempts = await trySockets(world, servers, ["--unconfined-run"]);
      const out = attempts.filter(({ outcome }) => outcome === "escaped").map(({ id }) => id);
      const expected = [...UNCONFINED, ...(user.isRoot ? ROOT_UNCONFINED : [])];
      expect(expected.filter((id) => !out.includes(id))).toEqual([]);
      const reached = await servers.reached();
      const names = ["abstract", "tcp", "tcp6", "udp", "udp6", "unix"];
      expect(Object.keys(reached).sort()).toEqual(names);
    });
    const tally = new Tally().add(await trySockets(world, servers, []));
    const commands = [
      `echo x >/dev/tcp/127.0.0.1/${tcp}`,
      `echo x >/dev/tcp/localhost/${tcp}`,
      `echo x >/dev/tcp/::1/${servers.tcp6}`,
      `echo x >/dev/udp/127.0.0.1/${udp}`,
      `cat <>${path}`,
    ];
    for (const command of commands) {
      const { exit } = await bash(world, command);
      tally.note(command, exit === 1);
    }
    const answer = await bash(world, attackCommand(world, "pairs", { path, name, packets }), {
      flags: attackFlags(world),
    });
    expect(answer.text).toContain('{"works":true}');
    tally.add(attemptsIn(answer));
    for (const [server, count] of Object.entries(await servers.reached())) {
      tally.note(server, false, `${count} reached it`);
    }
    await tally.report(t, WAYS + commands.length + 6);
  },
);

testAs(
  "children > S1 S2 a bare --allow-net opens only TCP and UDP",
  async (t, user) => {
    const world = makeWorld(user);
    await using servers = await startServers(world.G);
    const attempts = await trySockets(world, servers, ["--allow-net"]);
    const isOpened = ({ id }: Attempt) => OPENED.includes(id);
    await t.step("TCP and UDP reach real servers", async () => {
      const opened = attempts.filter(isOpened);
      expect(opened.filter(({ outcome }) => outcome !== "escaped")).toEqual([]);
      expect(opened.length).toBe(OPENED.length);
      expect(await servers.reached()).toEqual({ tcp: 4, tcp6: 1, udp: 2, udp6: 1 });
    });
    const tally = new Tally().add(attempts.filter((each) => !isOpened(each)));
    await tally.report(t, WAYS - OPENED.length);
  },
);

testAs(
  "children > S1 --allow-net=:PORT opens only TCP to that port",
  async (t, user) => {
    const world = makeWorld(user);
    await using servers = await startServers(world.G);
    const { tcp, other } = servers;
    // The attacks connect to the other port, which no flag opens.
    const turned = { ...servers, tcp: other, tcp6: servers.tcp6 };
    const attempts = await trySockets(world, turned, [`--allow-net=:${tcp}`]);
    // A TCP socket that is not connected is harmless.
    const made = attempts.filter(({ id }) => id === "tcp4-flags");
    expect(made.map(({ outcome }) => outcome)).toEqual(["escaped"]);
    const tally = new Tally().add(attempts.filter(({ id }) => id !== "tcp4-flags"));
    for (const [server, count] of Object.entries(await servers.reached())) {
      tally.note(server, false, `${count} reached it`);
    }
    await t.step("programs reach that port", async () => {
      const reached = (await trySockets(world, servers, [`--allow-net=:${tcp}`]))
        .filter(({ outcome }) => outcome === "escaped").map(({ id }) => id);
      expect(reached).toEqual(["tcp4", "tcp4-named", "tcp4-flags", "tcp-mapped", "fast-connect"]);
      expect(await servers.reached()).toEqual({ tcp: 4 });
      expect(
        await bash(world, `echo x >/dev/tcp/127.0.0.1/${tcp} && echo sent`, {
          flags: attackFlags(world, [`--allow-net=:${tcp}`]),
        }),
      ).toMatchObject({ exit: 0, text: "sent\n" });
    });
    await tally.report(t, WAYS - 1);
  },
);

testAs("children > S1 --allow-net=HOST:PORT opens no sockets for programs", async (t, user) => {
  const world = makeWorld(user);
  await using servers = await startServers(world.G);
  const tally = new Tally();
  for (const grant of [`127.0.0.1:${servers.tcp}`, "127.0.0.1", `localhost:${servers.tcp}`]) {
    tally.add(await trySockets(world, servers, [`--allow-net=${grant}`]));
  }
  expect(await servers.reached()).toEqual({});
  await tally.report(t, 3 * WAYS);
});
