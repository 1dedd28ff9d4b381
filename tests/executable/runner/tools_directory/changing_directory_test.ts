/** A tools directory that another process changes all the time. */
// tier: machine
import { expect } from "@std/expect";
import { attempts } from "../../../support/attempts.ts";
import { repeatedScript } from "../../../support/repeated_script.ts";
import { tool, world } from "./hostile_world.ts";

Deno.test("hostile tools directory > a directory that changes between check and load never runs the other code", async () => {
  using here = world();
  const good = here.make("good");
  here.make("bad", 0o777);
  here.write("bad/who.ts", tool("who", "I am bad"));
  here.write("open.ts", tool("who", "I am bad"), 0o666);
  await here.run(`--tools-dir=${good}`);
  // Another process replaces the directory and the file all the time, each by a refused one.
  const script = `
    mv good kept && mv bad good && mv good bad && mv kept good
    mv good/who.ts good/kept && mv open.ts good/who.ts
    mv good/who.ts open.ts && mv good/kept good/who.ts
    ln -s "$PWD/bad/who.ts" good/x && mv good/who.ts good/kept && mv good/x good/who.ts
    mv good/kept good/who.ts`;
  await using _racer = repeatedScript(script, here.path);
  let [ran, refused] = [0, 0];
  // There was a race only if some calls ran the good code, and others found a refused path.
  for (let at = 0; at < attempts(200) || (ran === 0 || refused === 0) && at < 5_000; at++) {
    const { code, text } = await here.run(`--tools-dir=${good}`);
    expect(text).not.toContain("I am bad");
    // The file or the directory may be missing at that moment.
    expect([0, 4, 8]).toContain(code);
    if (code === 0) ran++;
    if (code === 8) refused++;
  }
  expect({ ran: ran > 0, refused: refused > 0 }).toEqual({ ran: true, refused: true });
});
