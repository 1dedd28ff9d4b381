import { lookup } from "node:dns/promises";
import { CallError } from "../../../base/errors.ts";
import { splitHost, withBrackets, withoutBrackets } from "../../../base/host.ts";
import { quote } from "../../../base/text/quote.ts";
import type { RegisteredTool } from "../../registry/registered_tool.ts";
import { asDirectoryTool } from "../../registry/tool_module.ts";
import { isAddress } from "../policy/addresses.ts";
import { refuseWritableCertificates } from "../policy/certificates.ts";
import { decideAddress, type HostDecision, hostScopes } from "../policy/hosts.ts";
import type { Program } from "../../program.ts";
import { denialText } from "../policy/denial_text.ts";
import type { Grants } from "../policy/grants.ts";
import type { Addresses, Executor } from "./executor.ts";
import { networkPermissions } from "../policy/permissions.ts";
import { requireFreeDescriptors } from "./free_descriptors.ts";
import { confinedWorker } from "./worker.ts";

/**
 * Runs a tool that uses the network in a Worker, whatever the flags, so that it can be stopped. The
 * Worker starts when the call runs. First the hosts that the call needs are looked up once, and
 * their addresses are checked. The Worker reaches only these addresses, at the requested ports. It
 * reads no files except the program's own.
 */
export function networkExecutor(
  tool: RegisteredTool,
  { program, grants }: { program: Program; grants: Grants },
): Executor {
  let worker: Executor | undefined;
  let isClosed = false;
  return {
    async run(job, options) {
      refuseWritableCertificates(grants);
      const addresses = await addressesOf(job.hosts, grants);
      options.signal.throwIfAborted();
      // The call may have ended during the look-up.
      if (isClosed) return [];
      // Close the Worker of the previous retry.
      worker?.close();
      const own = Deno.realPathSync(program.directory);
      const { workerModule } = program;
      const permissions = networkPermissions(socketsOf(addresses), own);
      const module = asDirectoryTool(tool)?.code;
      const asked = { ...job, addresses, ...tool.inWorker?.(job.args) };
      requireFreeDescriptors();
      worker = confinedWorker({ tool: asked.tool, module, permissions, workerModule });
      return await worker.run(asked, options);
    },
    close() {
      isClosed = true;
      worker?.close();
    },
  };
}

/** Looks up each `host:port`. Throws as {@link checkedAddresses}. */
export async function addressesOf(hosts: readonly string[], grants: Grants): Promise<Addresses> {
  return Object.fromEntries(
    await Promise.all(
      hosts.map(async (host) => [host, await checkedAddresses(host, grants)] as const),
    ),
  );
}

/** The addresses as the runtime takes them, each with its port. */
export function socketsOf(addresses: Addresses): string[] {
  return Object.entries(addresses).flatMap(([host, found]) =>
    found.map((address) => `${withBrackets(address)}:${splitHost(host).port}`)
  );
}

/**
 * Returns the addresses of `host:port` that the flags let a call reach, as the system's resolver
 * gives them. Forbidden addresses are left out. Throws `permission_denied` when all are forbidden,
 * and `tool_failed` when the name has no address.
 */
async function checkedAddresses(needed: string, grants: Grants): Promise<string[]> {
  const { host } = splitHost(needed);
  const addresses = isAddress(host) ? [withoutBrackets(host)] : await lookUp(host);
  const scopes = hostScopes(grants);
  const decisions = addresses.map((address) => decideAddress(address, { needed, scopes }));
  const open = addresses.filter((_, index) => decisions[index]!.granted);
  if (open.length === 0) throw refusal(needed, { addresses, decisions });
  return open;
}

async function lookUp(host: string): Promise<string[]> {
  try {
    const found = await lookup(host, { all: true });
    if (found.length > 0) return [...new Set(found.map(({ address }) => address))];
  } catch (error) {
    throw new CallError("tool_failed", `Cannot find the host ${quote(host)}: ${reasonOf(error)}`, {
      host,
    });
  }
  throw new CallError("tool_failed", `Cannot find the host ${quote(host)}: it has no address`);
}

function reasonOf(error: unknown): string {
  const { code, message } = error as { code?: string; message: string };
  if (code === "ENOTFOUND") return "its name is not known";
  if (code === "EAI_AGAIN") return "no name server answers";
  return message;
}

function refusal(
  needed: string,
  { addresses, decisions }: { addresses: string[]; decisions: HostDecision[] },
): CallError {
  const permission = { name: "net", host: needed } as const;
  const lines = decisions.map(({ denied, flag, why }, index) =>
    denialText({ permission, denied, flag, why: denied ? addresses[index] : why })
  );
  const needs = decisions.map(({ flag, denied }, index) => ({
    name: "net",
    host: needed,
    address: addresses[index],
    flag,
    denied,
  }));
  const message = `Cannot use ${quote(needed)}: ${[...new Set(lines)].join("; ")}`;
  return new CallError("permission_denied", message, { needs });
}
