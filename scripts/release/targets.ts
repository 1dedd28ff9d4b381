import type { Architecture } from "../head/native_head.ts";

/** A platform that a release is made for. */
export interface Target {
  /** Its name in the names of files and npm packages. */
  name: string;
  /** Its name for `deno compile`. */
  triple: string;
  /** npm's package with the runtime for it. */
  runtime: string;
  /** npm's package with ripgrep for it. */
  ripgrep: string;
  /** npm's names of the system and the processor. */
  os: "linux" | "darwin" | "win32";
  cpu: "x64" | "arm64";
  /** Debian's name of the processor, if there is a Debian package. */
  debian?: string;
  /** The head of its executable. Windows has launchers instead. */
  head: Architecture | "script" | "launchers";
}

/** All targets, in the order in which they are made. */
export const targets: readonly Target[] = [
  linux("x64", "x86_64", "amd64"),
  linux("arm64", "aarch64", "arm64"),
  macos("x64", "x86_64"),
  macos("arm64", "aarch64"),
  {
    ...common("win32", "x64"),
    name: "windows-x64",
    triple: "x86_64-pc-windows-msvc",
    head: "launchers",
  },
];

/** Returns the target of this machine, or undefined if no target fits it. */
export function ownTarget(): Target | undefined {
  return targets.find(({ triple }) => triple === Deno.build.target);
}

function linux(cpu: Target["cpu"], head: Architecture, debian: string): Target {
  return {
    ...common("linux", cpu),
    runtime: `@deno/linux-${cpu}-glibc`,
    triple: `${head}-unknown-linux-gnu`,
    ...{ debian, head },
  };
}

function macos(cpu: Target["cpu"], processor: string): Target {
  return {
    ...common("darwin", cpu),
    name: `macos-${cpu}`,
    triple: `${processor}-apple-darwin`,
    head: "script",
  };
}

function common(os: Target["os"], cpu: Target["cpu"]) {
  const platform = `${os}-${cpu}`;
  return {
    ...{ name: platform, os, cpu },
    runtime: `@deno/${platform}`,
    ripgrep: `@vscode/ripgrep-${platform}`,
  };
}
