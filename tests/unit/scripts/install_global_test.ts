/** `deno task install` installs a command that runs the sources of the checkout. */
import { expect } from "@std/expect";
import { deno } from "./deno_command.ts";

Deno.test("deno task install > the installed command runs the sources of the checkout", async () => {
  const directory = Deno.makeTempDirSync({ prefix: "toolcall-install-" });
  try {
    const { code, error } = await deno([
      ...["run", "-A", "scripts/install_global.ts", `--root=${directory}`],
    ]);
    expect({ code, error: code === 0 ? "" : error }).toEqual({ code: 0, error: "" });
    Deno.writeTextFileSync(`${directory}/a.txt`, "some text");
    const path = `${Deno.execPath().replace(/\/[^/]*$/, "")}:${Deno.env.get("PATH")}`;
    const { stdout } = await new Deno.Command(`${directory}/bin/toolcall`, {
      args: ["fs.read", "path=a.txt", "--allow-read=."],
      ...{ cwd: directory, env: { PATH: path }, stdin: "null" },
    }).output();
    expect(JSON.parse(new TextDecoder().decode(stdout)).content[0].text).toBe("some text");
  } finally {
    Deno.removeSync(directory, { recursive: true });
  }
});
