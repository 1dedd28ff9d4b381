import type { RegisteredTool } from "../../registry/registered_tool.ts";
import type { Job, Place } from "./job.ts";

/** Whether a tool reads files in some calls and uses the network in others. */
export function isEither({ metadata: { permissionKinds } }: RegisteredTool): boolean {
  return permissionKinds.includes("net") && permissionKinds.includes("read");
}

/** The same tool for its calls that need no host: one of files alone. */
export function withoutNetwork(tool: RegisteredTool): RegisteredTool {
  const permissionKinds = tool.metadata.permissionKinds.filter((kind) => kind !== "net");
  return { ...tool, metadata: { ...tool.metadata, permissionKinds } };
}

/**
 * The place of a call by what it needs: one that needs a host runs in `network`, which has
 * nothing of the user's files, any other in the place that `files` makes, which has no network.
 * So no call has both, and what it reads cannot leave the machine.
 */
export function eitherPlace(network: Place, files: () => Place | Promise<Place>): Place {
  let place: Place | undefined;
  let isClosed = false;
  return {
    async run(job: Job, options) {
      if (job.hosts.length > 0) return await network.run(job, options);
      // That of a try before.
      place?.close();
      place = await files();
      // A call that has ended meanwhile starts nothing.
      if (isClosed) place.close();
      return await place.run(job, options);
    },
    close() {
      isClosed = true;
      network.close();
      place?.close();
    },
  };
}
