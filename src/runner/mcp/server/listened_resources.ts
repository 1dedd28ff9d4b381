import { isObject } from "../../../base/json/is_object.ts";
import type { ResourceWatch } from "./resource_watch.ts";
import type { ServerContext } from "./tools_call.ts";

/**
 * Watches the resources that a `subscriptions/listen` of revision 2026-07-28 names. A resource that
 * the flags do not let calls read is not watched: the SDK acknowledges the whole request. Returns
 * `undefined` if it names none.
 */
export async function watchListened(
  message: Record<string, unknown>,
  { options, offers }: ServerContext,
  onChanged: (uri: string) => void,
): Promise<ResourceWatch | undefined> {
  const params = isObject(message["params"]) ? message["params"] : {};
  const { resourceSubscriptions: uris } = isObject(params["notifications"])
    ? params["notifications"]
    : {};
  if (!offers.resources || !Array.isArray(uris) || uris.length === 0) return undefined;
  const { ResourceWatch } = await import("./resource_watch.ts");
  const watch = new ResourceWatch(options, onChanged);
  const named = uris.filter((uri) => typeof uri === "string");
  await Promise.all(named.map((uri) => watch.add(uri).catch(() => {})));
  return watch;
}
