import { readVariable } from "../../../base/environment.ts";
import { pathRules } from "../../../base/fs/path_rules.ts";
import { CallError } from "../../../base/errors.ts";
import { quote } from "../../../base/text/quote.ts";
import type { Grants } from "./grants.ts";
import { untrustedStep } from "./paths.ts";

/**
 * Throws `unavailable` if a variable of the runtime names certificate authorities that a call could
 * have written. Such a call could make the next call trust any server.
 */
export function refuseWritableCertificates({ allow }: Grants): void {
  for (const name of ["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR"]) {
    for (const path of readVariable(name)?.split(":") ?? []) {
      if (path === "" || untrustedStep(pathRules.resolve(path), allow.write) === undefined) {
        continue;
      }
      throw new CallError(
        "unavailable",
        `Cannot use the network: ${name} names ${quote(path, 4096)}, which is in a place that ` +
          `calls may write to; allow less with --allow-write, or keep the certificates elsewhere`,
      );
    }
  }
}
