import { expect } from "@std/expect";
import { fileURLToPath } from "node:url";
import { openRegular } from "../../../../../src/base/fs/system_file.ts";
import { pdfWindow } from "../../../../../src/toolkit/files/pdf/pdf_window.ts";
import { ByteSource } from "../../../../../src/toolkit/files/read/byte_source.ts";

Deno.test("pdfWindow > the file is closed before the pages are read", async () => {
  const path = fileURLToPath(new URL("../../../../fixtures/pdf/letter.pdf", import.meta.url));
  const file = openRegular(path);
  // Closing the file ends the call. So a file that is closed after the pages ends no call.
  const stop = new AbortController();
  const source = new ByteSource({
    status: () => file.status(),
    readSync: (buffer) => file.readSync(buffer),
    close: () => {
      file.close();
      stop.abort(new Error("closed"));
    },
  }, { target: { path, given: path, action: "read" }, signal: stop.signal });
  await expect(pdfWindow(source, "1")).rejects.toThrow("closed");
});
