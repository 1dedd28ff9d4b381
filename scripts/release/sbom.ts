/** The software bill of materials in CycloneDX 1.5 (cyclonedx.org). */
import { createHash } from "node:crypto";
import type { Component } from "./components.ts";
import type { SourceState } from "./source_state.ts";

/** The bill of materials of a version, as JSON. The same inputs give the same text. */
export function billOfMaterials(
  version: string,
  { commit, time, components }: SourceState & { components: readonly Component[] },
): string {
  const reference = `pkg:npm/toolcall@${version}`;
  const parts = components.map((component) => partOf(component));
  const hash = createHash("sha256").update(JSON.stringify([version, commit, parts])).digest("hex");
  const serial = hash.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, "$1-$2-5$3-8$4-$5");
  const bill = {
    bomFormat: "CycloneDX",
    specVersion: "1.5",
    serialNumber: `urn:uuid:${serial}`,
    version: 1,
    metadata: {
      timestamp: time,
      component: {
        type: "application",
        "bom-ref": reference,
        name: "toolcall",
        version,
        purl: reference,
        licenses: [{ license: { id: "MIT" } }],
        properties: [{ name: "toolcall:commit", value: commit }],
      },
    },
    components: parts,
    dependencies: [{ ref: reference, dependsOn: parts.map((part) => part["bom-ref"]) }],
  };
  return `${JSON.stringify(bill, null, 2)}\n`;
}

function partOf({ name, version, licence, package: locked }: Component) {
  const purl = locked === undefined
    ? `pkg:generic/${encodeURIComponent(name)}@${encodeURIComponent(version)}`
    : locked.registry === "npm"
    ? `pkg:npm/${name.replace("@", "%40")}@${version}`
    : `pkg:generic/${encodeURIComponent(name)}@${version}`;
  return {
    type: locked === undefined ? "application" as const : "library" as const,
    "bom-ref": purl,
    ...{ name, version, purl },
    licenses: [licence.includes(" ") ? { expression: licence } : { license: { id: licence } }],
    ...(locked !== undefined && { hashes: hashesOf(locked.integrity) }),
  };
}

/** The hash of `sha512-BASE64`, in hexadecimal digits. */
function hashesOf(integrity: string) {
  const [algorithm, digest] = integrity.split(/-(.*)/s);
  if (algorithm !== "sha512") return [];
  return [{ alg: "SHA-512", content: Uint8Array.fromBase64(digest!).toHex() }];
}
