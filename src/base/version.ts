import project from "../../deno.json" with { type: "json" };

/** The program's version (https://semver.org). */
export const version: string = project.version;
