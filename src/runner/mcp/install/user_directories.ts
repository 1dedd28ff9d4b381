const { os } = Deno.build;

/** The directory in which applications keep their settings. */
export function applicationData(): string {
  if (os === "windows") return absolute("APPDATA") ?? `${home()}/AppData/Roaming`;
  return os === "darwin" ? `${home()}/Library/Application Support` : configDirectory();
}

/** The user's configuration directory, `XDG_CONFIG_HOME` or `~/.config`. */
export function configDirectory(): string {
  const named = os === "darwin" ? undefined : absolute("XDG_CONFIG_HOME");
  return named ?? `${home()}/.config`;
}

/** The user's home directory. Throws if its variable is not set. */
export function home(): string {
  const variable = os === "windows" ? "USERPROFILE" : "HOME";
  const path = absolute(variable);
  if (path !== undefined) return path;
  throw new Error(`The variable ${variable} holds no absolute path; set it to your home folder`);
}

/** Returns the directory in a variable; `undefined` if it is unset or relative. */
export function absolute(variable: string): string | undefined {
  const path = Deno.env.get(variable)?.replaceAll("\\", "/");
  return path !== undefined && /^(\/|[A-Za-z]:\/)/.test(path) ? path : undefined;
}
