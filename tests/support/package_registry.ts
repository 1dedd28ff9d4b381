/** A registry of JSR packages with this package, and with the replacements of `@std` in `links/`. */
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** The part of a `deno.json` that a registry needs. */
interface Project {
  name: string;
  version: string;
  exports: Record<string, string>;
  imports?: Record<string, string>;
}

/** A registry that runs until it is disposed of. */
export interface PackageRegistry extends AsyncDisposable {
  /** Its address, for the variable JSR_URL. */
  url: string;
  /** The paths of the requests. */
  requests: string[];
}

/** Starts a registry that serves the files of this package that `deno publish` lists. */
export function servePackages(published: readonly string[]): PackageRegistry {
  const packages = new Map<string, Map<string, Uint8Array<ArrayBuffer>>>();
  const metas = new Map<string, unknown>();
  const add = async (directory: string, paths: readonly string[]) => {
    const project = JSON.parse(Deno.readTextFileSync(`${directory}deno.json`)) as Project;
    const files = new Map(
      paths.map((path) => [path, publishedFile(`${directory}${path}`, project)]),
    );
    packages.set(`/${project.name}/${project.version}/`, files);
    metas.set(`/${project.name}/meta.json`, {
      ...{ scope: project.name.slice(1).split("/")[0], name: project.name.split("/")[1] },
      ...{ latest: project.version, versions: { [project.version]: {} } },
    });
    const manifest = await Promise.all([...files].map(async ([path, bytes]) => {
      const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
      return [`/${path}`, { size: bytes.length, checksum: `sha256-${hash}` }];
    }));
    const meta = { exports: project.exports, manifest: Object.fromEntries(manifest) };
    metas.set(`/${project.name}/${project.version}_meta.json`, meta);
  };
  const added = Promise.all([
    add(root, published),
    ...[...Deno.readDirSync(`${root}links`)].map(({ name }) => {
      const directory = `${root}links/${name}/`;
      return add(directory, [...Deno.readDirSync(directory)].map((file) => file.name));
    }),
  ]);
  const requests: string[] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    await added;
    const { pathname } = new URL(request.url);
    requests.push(pathname);
    const meta = metas.get(pathname);
    if (meta !== undefined) return Response.json(meta);
    const owner = [...packages.keys()].find((prefix) => pathname.startsWith(prefix));
    const bytes = owner && packages.get(owner)!.get(pathname.slice(owner.length));
    return bytes
      ? new Response(bytes, { headers: { "content-type": typeOf(pathname) } })
      : new Response(null, { status: 404 });
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    requests,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** Returns a file as `deno publish` writes it: with resolved names of the import map. */
function publishedFile(path: string, { imports = {} }: Project): Uint8Array<ArrayBuffer> {
  const bytes = Deno.readFileSync(path);
  if (!/\.(tsx?|js)$/.test(path)) return bytes;
  const text = new TextDecoder().decode(bytes).replace(
    /(\bfrom\s+|\bimport\s*\(\s*|\bimport\s+)"([^"./][^":]*)"/g,
    (whole, before, specifier) => {
      const exact = imports[specifier];
      const prefix = Object.keys(imports)
        .filter((key) => specifier.startsWith(key.endsWith("/") ? key : `${key}/`))
        .sort((a, b) => b.length - a.length)[0];
      if (exact !== undefined) return `${before}"${exact}"`;
      if (prefix === undefined) return whole;
      return `${before}"${imports[prefix]}${specifier.slice(prefix.length)}"`;
    },
  );
  return new TextEncoder().encode(text);
}

function typeOf(path: string): string {
  if (path.endsWith(".json")) return "application/json";
  return /\.tsx?$/.test(path) ? "application/typescript" : "text/javascript";
}
