/** `${NAME}`, `${NAME:-default}`, and `${env:NAME}` as some editors write it. */
const VARIABLE = /\$\{(?:env:)?([A-Za-z_]\w*)(?::-([^}]*))?\}/g;

/** Replaces environment variables in texts, and collects their values. */
export class Expansion {
  /** The values of the variables so far. They must not be shown. */
  readonly secrets = new Set<string>();

  /** Takes the environment variables. */
  constructor(readonly environment: Readonly<Record<string, string>>) {}

  /** Replaces the variables in a text. Throws for one that is not set and has no default. */
  text(text: string): string {
    return text.replace(VARIABLE, (_, name: string, other: string | undefined) => {
      const value = Object.hasOwn(this.environment, name) ? this.environment[name] : undefined;
      // As in a shell, the default also replaces an empty value.
      if (value === undefined || (value === "" && other !== undefined)) {
        if (other !== undefined) return other;
        throw new Error(
          `the environment variable ${name} is not set; set it, or write \${${name}:-default}`,
        );
      }
      this.secrets.add(value);
      return value;
    });
  }
}
