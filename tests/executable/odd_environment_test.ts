/** Values of the environment that are not UTF-8, which the runtime cannot read. */
import { expect } from "@std/expect";
import { executable, temporaryDirectory } from "../support/executable.ts";

const VARIABLES = [
  ...["HOME", "PATH", "TMPDIR", "TERM", "LANG", "NO_COLOR", "TRACEPARENT", "TOOLCALL_FORMAT"],
  ...["XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "TOOLCALL_DEBUG", "SSL_CERT_FILE"],
  ...["OTEL_EXPORTER_OTLP_ENDPOINT", "SOMETHING_ELSE"],
];

Deno.test({
  name: "environment > a value that is not UTF-8 counts as missing",
  ignore: Deno.build.os !== "linux",
  async fn() {
    using directory = temporaryDirectory();
    Deno.writeTextFileSync(`${directory.path}/a.txt`, "the text\n");
    const runs: [args: string, printed: string][] = [
      ["--version", "toolcall "],
      ["--allow-read=. fs.read path=a.txt", "the text"],
      ["--allow-run=bash Bash command='echo done'", "done"],
      [`-A TodoWrite '{"todos":[]}'`, "The to-do list is empty"],
    ];
    for (const name of VARIABLES) {
      for (const [args, printed] of runs) {
        const state = `--state-dir=${directory.path}/state`;
        const { code, stdout, stderr } = await new Deno.Command("/bin/bash", {
          args: ["-c", `export ${name}=$'/x\\xff'; exec "$0" "$1" ${args}`, executable, state],
          cwd: directory.path,
          stdin: "null",
        }).output();
        const text = new TextDecoder().decode(stdout);
        expect({ name, args, code, has: text.includes(printed) ? printed : text })
          .toEqual({ name, args, code: 0, has: printed });
        expect([name, new TextDecoder().decode(stderr)]).toEqual([name, ""]);
      }
    }
  },
});
