/** Real servers that count the connections and packets that reach them. */
import { createSocket } from "node:dgram";
import { once } from "node:events";

/** Servers on this machine: TCP, UDP, and Unix sockets by path and by an abstract name. */
export interface Servers extends AsyncDisposable {
  tcp: number;
  tcp6: number;
  udp: number;
  udp6: number;
  /** A second TCP port. */
  other: number;
  path: string;
  name: string;
  /** The abstract name of a Unix socket for packets. */
  packets: string;
  /** How much has reached each server since the last time that this was called. */
  reached(): Promise<Record<string, number>>;
}

/** Starts the servers. The Unix socket with a path is in `directory`. */
export async function startServers(directory: string): Promise<Servers> {
  const counts: Record<string, number> = {};
  const count = (name: string) => void (counts[name] = (counts[name] ?? 0) + 1);
  const path = `${directory}/socket`;
  const listeners = {
    tcp: Deno.listen({ hostname: "127.0.0.1", port: 0 }),
    tcp6: Deno.listen({ hostname: "::1", port: 0 }),
    other: Deno.listen({ hostname: "127.0.0.1", port: 0 }),
    unix: Deno.listen({ transport: "unix", path }),
  };
  Deno.chmodSync(path, 0o777);
  const loops = Object.entries(listeners).map(async ([name, listener]) => {
    for await (const connection of listener) {
      count(name);
      connection.close();
    }
  });
  const mark = crypto.randomUUID();
  const datagrams = { udp: createSocket("udp4"), udp6: createSocket("udp6") };
  for (const [name, socket] of Object.entries(datagrams)) {
    socket.on("message", (message) => {
      if (String(message) === mark) socket.emit("mark");
      else count(name);
    });
    socket.bind(0, name === "udp" ? "127.0.0.1" : "::1");
    await once(socket, "listening");
  }
  const [STREAM, SEQPACKET] = [1, 5];
  const [abstract, packets] = [listenAbstract(STREAM), listenAbstract(SEQPACKET)];
  const portOf = (listener: Deno.Listener) => (listener.addr as Deno.NetAddr).port;
  return {
    tcp: portOf(listeners.tcp),
    tcp6: portOf(listeners.tcp6),
    other: portOf(listeners.other),
    udp: datagrams.udp.address().port,
    udp6: datagrams.udp6.address().port,
    path,
    name: abstract.name,
    packets: packets.name,
    async reached() {
      // Each server handles arrivals in order, so it has counted all of them when a last one arrives.
      for (const [name, listener] of Object.entries(listeners)) {
        await closingOf(listener.addr);
        counts[name]!--;
      }
      for (const socket of Object.values(datagrams)) {
        const arrived = once(socket, "mark");
        const { port, address } = socket.address();
        socket.send(mark, port, address);
        await arrived;
      }
      for (const _ of abstract.accept()) count("abstract");
      for (const _ of packets.accept()) count("packets");
      const seen = Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
      for (const name of Object.keys(counts)) delete counts[name];
      return seen;
    },
    async [Symbol.asyncDispose]() {
      for (const listener of Object.values(listeners)) listener.close();
      await Promise.all(loops);
      for (const socket of Object.values(datagrams)) {
        socket.close();
        await once(socket, "close");
      }
      abstract.close();
      packets.close();
    },
  };
}

/** Connects to a server, and waits until the server has accepted and closed the connection. */
async function closingOf(address: Deno.Addr): Promise<void> {
  using connection = address.transport === "unix"
    ? await Deno.connect({ transport: "unix", path: (address as Deno.UnixAddr).path })
    : await Deno.connect(address as Deno.NetAddr & { transport: "tcp" });
  await connection.read(new Uint8Array(1));
}

/** Makes a Unix socket with an abstract name, which the runtime cannot make. */
function listenAbstract(type: number) {
  const library = Deno.dlopen("libc.so.6", {
    socket: { parameters: ["i32", "i32", "i32"], result: "i32" },
    bind: { parameters: ["i32", "buffer", "u32"], result: "i32" },
    listen: { parameters: ["i32", "i32"], result: "i32" },
    accept: { parameters: ["i32", "pointer", "pointer"], result: "i32" },
    close: { parameters: ["i32"], result: "i32" },
  });
  const { symbols } = library;
  const name = `toolcall-test-${crypto.randomUUID()}`;
  const [AF_UNIX, NONBLOCK] = [1, 0o4000];
  const socket = symbols.socket(AF_UNIX, type | NONBLOCK, 0);
  const address = new Uint8Array([AF_UNIX, 0, 0, ...new TextEncoder().encode(name)]);
  if (symbols.bind(socket, address, address.length) !== 0 || symbols.listen(socket, 16) !== 0) {
    throw new Error("Cannot listen on an abstract socket");
  }
  return {
    name,
    *accept() {
      for (let each; (each = symbols.accept(socket, null, null)) >= 0;) {
        symbols.close(each);
        yield each;
      }
    },
    close() {
      symbols.close(socket);
      library.close();
    },
  };
}
