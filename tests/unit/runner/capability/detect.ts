/** A process that looks for capabilities: the setup and what to ask are its arguments, as JSON. */
import { Capabilities } from "../../../../src/runner/capability/capabilities.ts";

const providers = () => import("../../../../src/toolkit/provider/providers.ts");

const [setup = "{}", asked = "[]"] = Deno.args;
const place = {
  grants: { all: false, allow: {}, deny: {} },
  program: { directory: "/", providers },
  root: "/",
};
const capabilities = new Capabilities({
  ...place,
  environment: () => Deno.env.toObject(),
  ...JSON.parse(setup),
});
const found = await Promise.all(
  (JSON.parse(asked) as ["find" | "examine", string][]).map(([how, name]) =>
    capabilities[how](name)
  ),
);
Deno.stdout.writeSync(new TextEncoder().encode(JSON.stringify(found)));
