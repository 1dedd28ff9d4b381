/** The module of a Worker that scales one image and has no permissions. */

import { loadBytes } from "../../../base/load_bytes.ts";
import type { ImageSize } from "./image_facts.ts";

const code = await loadBytes("npm:@silvia-odwyer/photon-node@0.3.4/photon_rs_bg.wasm");

/** An image, and the size that it should get. */
export interface ImageOrder extends ImageSize {
  /** The file. */
  bytes: Uint8Array;
  /** True for a photograph, which is smaller as JPEG. */
  isPhoto: boolean;
  /** The largest size of the result, in bytes. */
  most: number;
}

/** The scaled image, or the reason why it could not be scaled. */
export type ImageReply =
  | { bytes: Uint8Array<ArrayBuffer>; name: "PNG" | "JPEG" }
  | { fault: string };

/** The functions of Photon that are used; an image is an address. */
interface Photon {
  memory: WebAssembly.Memory;
  __wbindgen_start(): void;
  __wbindgen_malloc(bytes: number, alignment: number): number;
  photonimage_new_from_byteslice(address: number, bytes: number): number;
  photonimage_get_width(image: number): number;
  photonimage_get_height(image: number): number;
  resize(image: number, width: number, height: number, filter: number): number;
  photonimage_get_bytes(image: number): [address: number, bytes: number];
  photonimage_get_bytes_jpeg(image: number, quality: number): [address: number, bytes: number];
}

/** The part of a Worker's global scope that is used here. */
interface WorkerScope {
  onmessage: ((event: MessageEvent<ImageOrder>) => void) | null;
  postMessage(message: ImageReply): void;
}

/**
 * Photon's numbers of two filters: the first keeps the most detail, the second takes a third of its
 * time.
 */
const [LANCZOS, TRIANGLE] = [5, 2];
/** The number of pixels above which the second filter is used. */
const LARGE = 16_000_000;
const QUALITIES = [85, 70, 50];

const scope = globalThis as unknown as WorkerScope;
scope.onmessage = ({ data }) => scope.postMessage(reply(data));

function reply(order: ImageOrder): ImageReply {
  try {
    return scaled(order);
  } catch {
    return { fault: "it is damaged, or too large to be scaled" };
  }
}

function scaled({ bytes, width, height, isPhoto, most }: ImageOrder): ImageReply {
  const photon = startPhoton();
  const address = photon.__wbindgen_malloc(bytes.length, 1);
  new Uint8Array(photon.memory.buffer).set(bytes, address);
  const whole = photon.photonimage_new_from_byteslice(address, bytes.length);
  const pixels = photon.photonimage_get_width(whole) * photon.photonimage_get_height(whole);
  const filter = pixels > LARGE ? TRIANGLE : LANCZOS;
  const image = photon.resize(whole, width, height, filter);
  const copy = ([at, length]: [number, number]) =>
    new Uint8Array(photon.memory.buffer, at, length).slice();
  if (!isPhoto) {
    const png = copy(photon.photonimage_get_bytes(image));
    if (png.length <= most) return { bytes: png, name: "PNG" };
  }
  for (const quality of QUALITIES) {
    const jpeg = copy(photon.photonimage_get_bytes_jpeg(image, quality));
    if (jpeg.length <= most) return { bytes: jpeg, name: "JPEG" };
  }
  return { fault: "it is too large even after scaling down" };
}

/** Starts Photon, which is compiled to WebAssembly, without access to anything outside it. */
function startPhoton(): Photon {
  const module = new WebAssembly.Module(code);
  const given: Record<string, Record<string, CallableFunction>> = {};
  for (const { module: space, name } of WebAssembly.Module.imports(module)) {
    // Photon's start asks for a table of objects, which it does not need.
    const isTable = name === "__wbindgen_init_externref_table";
    (given[space] ??= {})[name] = () => {
      if (!isTable) throw new Error(`Photon asks for ${name}`);
    };
  }
  const photon = new WebAssembly.Instance(module, given).exports as unknown as Photon;
  photon.__wbindgen_start();
  return photon;
}
