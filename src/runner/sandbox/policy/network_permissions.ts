import type { RuntimePermissions } from "./permissions.ts";

/** What the runtime asks for before it verifies a certificate. */
const FOR_CERTIFICATES = { env: ["NODE_USE_SYSTEM_CA"], sys: ["ca"] };

/**
 * What the runtime lets a tool do that uses the network: reach `net`, addresses with their
 * ports, and load its code from `own`.
 */
export function networkPermissions(net: string[], own: string): RuntimePermissions {
  return {
    ...FOR_CERTIFICATES,
    read: [own],
    write: [],
    net,
    run: false,
    ffi: false,
    import: false,
  };
}
