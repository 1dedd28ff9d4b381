/**
 * Internet addresses: which are on the public internet, and which lead to this machine, to its
 * network, or to services that answer only there, such as the metadata of a cloud.
 */

/**
 * The grants that open an address. `public`: every grant of the network. `local` (this machine and
 * private networks): a grant that names the host. `special`: only a grant of that very address.
 */
interface AddressKind {
  /** The grants that open it. */
  kind: "public" | "local" | "special";
  /** A description for people: "a loopback address". */
  what: string;
}

/** A block of addresses, as `1.2.3.0/24` or `2001:db8::/32`. */
interface Block {
  first: bigint;
  /** The number of leading bits, of 128, that all addresses of the block share. */
  length: number;
}

/** The position of the 32 bits of an IPv4 address among the 128. */
const MAPPED = 0xffffn << 32n;
const WIDTH = 128;

const LOCAL: readonly [what: string, blocks: string][] = [
  ["a loopback address", "127.0.0.0/8 ::1/128"],
  ["a private network", "10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 fc00::/7 fec0::/10"],
  ["an address of a provider's own network", "100.64.0.0/10"],
  ["an address of a network for tests", "198.18.0.0/15"],
];

/** The addresses at which clouds give out metadata and credentials, except link-local ones. */
const METADATA: readonly string[] = [
  "169.254.169.254/32", // Most clouds; link-local, and named because it is the one that is known.
  "fd00:ec2::/32", // AWS: metadata, credentials of pods, names and time
  "168.63.129.16/32", // Azure
  "fd20:ce::254/128", // Google Cloud
  ...["192.0.0.192/32", "fd00:c1::a9fe:a9fe/128"], // Oracle Cloud
  ...["100.100.100.200/32", "fd00:100::100:200/128"], // Alibaba Cloud
  "fd00:a9fe:a9fe::1/128", // Akamai (Linode)
  "fd00:42::42/128", // Scaleway
  "100.96.0.96/32", // Volcano Engine
];

/**
 * The most special blocks come first. An address outside of the internet's ranges is special too.
 */
const SPECIAL: readonly [what: string, blocks: string][] = [
  ["the metadata address of a cloud machine", METADATA.join(" ")],
  ["link-local", "169.254.0.0/16 fe80::/10"],
  ["no address", "0.0.0.0/8 ::/128"],
  ["multicast", "224.0.0.0/4 ff00::/8"],
  ["reserved", "192.0.0.0/24 192.88.99.0/24 240.0.0.0/4 2001::/23"],
  ["for documentation", "192.0.2.0/24 198.51.100.0/24 203.0.113.0/24 2001:db8::/32 3fff::/20"],
];

/** Blocks of IPv6 whose addresses contain an IPv4 address, and the number of bits after it. */
const HOLDING: readonly [block: string, shift: bigint][] = [
  ["64:ff9b::/96", 0n],
  ["2002::/16", 80n],
];

/** The only part of IPv6 that is given out to the internet at large. */
const GLOBAL = "2000::/3";

/**
 * The kind of an address. An address that contains an IPv4 address (mapped, NAT64, 6to4) has the
 * kind of that one. `undefined` for a string that is no address in the form of the URL standard.
 */
export function addressKind(address: string): AddressKind | undefined {
  const bits = bitsOf(address);
  return bits === undefined ? undefined : kindOf(bits);
}

/** Whether a host is an address: IPv4, or IPv6 with or without its brackets. */
export function isAddress(host: string): boolean {
  return bitsOf(host) !== undefined;
}

/**
 * Whether `address` is in the block `a.b.c.d/n` or `x:y::/n`, or contains an IPv4 address that is.
 */
export function isInBlock(address: string, block: string): boolean {
  const bits = bitsOf(address);
  if (bits === undefined) return false;
  const within = blockOf(block);
  const embedded = embeddedIPv4(bits);
  return isIn(bits, within) || embedded !== undefined && isIn(embedded, within);
}

/** Whether two addresses are equal, also when one of them is an IPv4 address in IPv6. */
export function isSameAddress(one: string, other: string): boolean {
  const bits = bitsOf(one);
  return bits !== undefined && bits === bitsOf(other);
}

/** The same for a refused address: an address that contains the other counts as well. */
export function containsAddress(address: string, other: string): boolean {
  const [bits, wanted] = [bitsOf(address), bitsOf(other)];
  return bits !== undefined && wanted !== undefined &&
    (bits === wanted || embeddedIPv4(bits) === wanted);
}

/** Whether a block has only addresses of the kind `local`. Throws for an invalid block. */
export function isLocalBlock(block: string): boolean {
  const { first, length } = blockOf(block);
  return LOCAL.some(([, blocks]) =>
    blocks.split(" ").map(blockOf).some((each) => length >= each.length && isIn(first, each))
  );
}

function kindOf(bits: bigint): AddressKind {
  const special = whatOf(bits, SPECIAL);
  if (special !== undefined) return { kind: "special", what: special };
  const local = whatOf(bits, LOCAL);
  if (local !== undefined) return { kind: "local", what: local };
  if (bits >> 32n === MAPPED >> 32n) return { kind: "public", what: "public" };
  const embedded = embeddedIPv4(bits);
  if (embedded !== undefined) return kindOf(embedded);
  return isIn(bits, blockOf(GLOBAL))
    ? { kind: "public", what: "public" }
    : { kind: "special", what: "reserved" };
}

function whatOf(bits: bigint, table: typeof LOCAL): string | undefined {
  return table.find(([, blocks]) => blocks.split(" ").some((each) => isIn(bits, blockOf(each))))
    ?.[0];
}

/** The IPv4 address that an IPv6 address leads to through a gateway. */
function embeddedIPv4(bits: bigint): bigint | undefined {
  const [, shift] = HOLDING.find(([block]) => isIn(bits, blockOf(block))) ?? [];
  return shift === undefined ? undefined : MAPPED | bits >> shift & 0xffff_ffffn;
}

function isIn(bits: bigint, { first, length }: Block): boolean {
  const rest = BigInt(WIDTH - length);
  return bits >> rest === first >> rest;
}

function blockOf(block: string): Block {
  const [address = "", digits = ""] = block.split("/");
  const first = bitsOf(address);
  const most = address.includes(":") ? WIDTH : 32;
  const length = /^\d{1,3}$/.test(digits) ? Number(digits) : WIDTH + 1;
  if (first === undefined || length > most) {
    throw new Error("it is not a block of addresses such as 10.0.0.0/8");
  }
  return { first, length: length + WIDTH - most };
}

/** The 128 bits of an address. IPv4 is mapped into IPv6. */
function bitsOf(address: string): bigint | undefined {
  const bare = address.replace(/^\[(.*)\]$/, "$1");
  if (/^\d{1,3}(\.\d{1,3}){3}$/.test(bare)) return ipv4Bits(bare.split(".").map(Number));
  return /^[\da-f:.]*$/i.test(bare) && bare.includes(":") ? ipv6Bits(bare) : undefined;
}

function ipv4Bits(parts: number[]): bigint | undefined {
  if (parts.some((part) => part > 255)) return undefined;
  return parts.reduce((bits, part) => bits << 8n | BigInt(part), MAPPED >> 32n);
}

/** The runtime's own parser decides what is an address, and normalises it. */
function ipv6Bits(address: string): bigint | undefined {
  if (!URL.canParse(`http://[${address}]/`)) return undefined;
  const [head = "", tail] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split("::");
  const groups = (text: string) => text === "" ? [] : text.split(":");
  const [before, after] = [groups(head), groups(tail ?? "")];
  const zeros = Array<string>(8 - before.length - after.length).fill("0");
  return [...before, ...zeros, ...after].reduce(
    (bits, group) => bits << 16n | BigInt(`0x${group}`),
    0n,
  );
}
