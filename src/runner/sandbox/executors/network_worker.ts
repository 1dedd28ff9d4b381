import { splitHost, withBrackets } from "../../../base/host.ts";
import type { RegisteredTool } from "../../registry/registered_tool.ts";
import { refuseWritableCertificates } from "../policy/certificates.ts";
import type { Program } from "../../program.ts";
import type { Grants } from "../policy/grants.ts";
import type { Addresses, Executor, Job } from "./executor.ts";
import { checkedAddresses } from "./name_lookup.ts";
import { networkPermissions } from "../policy/permissions.ts";
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
      const addresses = await addressesOf(job, grants);
      options.signal.throwIfAborted();
      // The call may have ended during the look-up.
      if (isClosed) return [];
      // Close the Worker of the previous retry.
      worker?.close();
      const own = Deno.realPathSync(program.directory);
      const { workerModule } = program;
      const permissions = networkPermissions(socketsOf(addresses), own);
      worker = confinedWorker({ tool: tool.metadata.name, permissions, workerModule });
      return await worker.run({ ...job, addresses }, options);
    },
    close() {
      isClosed = true;
      worker?.close();
    },
  };
}

/** The addresses as the runtime takes them, each with its port. */
function socketsOf(addresses: Addresses): string[] {
  return Object.entries(addresses).flatMap(([host, found]) =>
    found.map((address) => `${withBrackets(address)}:${splitHost(host).port}`)
  );
}

async function addressesOf({ hosts }: Job, grants: Grants): Promise<Addresses> {
  const found = hosts.map(async (host) => [host, await checkedAddresses(host, grants)] as const);
  return Object.fromEntries(await Promise.all(found));
}
