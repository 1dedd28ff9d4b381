import { expect } from "@std/expect";

/** Makes a key and a certificate that signs itself, for the loopback addresses, in a directory. */
export async function makeAuthority(directory: string): Promise<{ key: string; cert: string }> {
  return await certificateFor(directory, "", "DNS:localhost,IP:127.0.0.1");
}

/** Makes a key and a certificate that signs itself, for these names of a host. */
export async function certificateFor(
  directory: string,
  prefix: string,
  names: string,
): Promise<{ key: string; cert: string }> {
  const [key, cert] = [`${directory}/${prefix}key.pem`, `${directory}/${prefix}cert.pem`];
  const { success } = await new Deno.Command("openssl", {
    args: [
      ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"],
      ...["-keyout", key, "-out", cert, "-days", "2", "-subj", "/CN=localhost"],
      ...["-addext", `subjectAltName=${names}`],
    ],
    ...{ stdout: "null", stderr: "null" },
  }).output();
  expect(success).toBe(true);
  return { key, cert };
}
