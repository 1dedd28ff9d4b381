/** A process that looks for capabilities. Its arguments are the setup and the questions, as JSON. */
import { Capabilities } from "../../../../src/runner/capability/capabilities.ts";

const providers = () => import("../../../../src/toolkit/provider/providers.ts");

const [setup = "{}", asked = "[]"] = Deno.args;
const base = {
  grants: { all: false, allow: {}, deny: {} },
  program: { directory: "/", providers },
  root: "/",
};
const capabilities = new Capabilities({
  ...base,
  environment: () => Deno.env.toObject(),
  ...JSON.parse(setup),
});
const found = await Promise.all(
  (JSON.parse(asked) as ["find" | "examine", string][]).map(([how, name]) =>
    capabilities[how](name)
  ),
);
Deno.stdout.writeSync(new TextEncoder().encode(JSON.stringify(found)));
