/** What a name ends in that says that its value is secret, in words of small letters. */
const SECRET = new RegExp(
  "(^| )(" +
    [
      "pass(word|wd|phrase|code)?s?|secrets?|credentials?|creds|cookies?|auth(orization)?",
      "bearer|jwt|pin|token|key",
      "(api|access|secret|private|auth|session|refresh|bearer|signing|encryption) ?(key|token)s",
    ].join("|") +
    // What such a value is kept as.
    ")\\d*( (value|text|string|raw|data|header|b64|base64|hex|\\d+))*$",
);

/** The same in one word, such as `PGPASSWORD` and `apikey`. */
const JOINED =
  /(password|passwd|passphrase|secret|api_?key|access_?key|secret_?key|private_?key|auth_?token|access_?token)$/;

/** Keys that are no secrets. */
const HARMLESS = /(^| )(public|sort|primary|foreign|cache|group|partition|hot|short ?cut) key$/;

/**
 * Whether a name of an argument, a header or a variable says that its value is secret, by the
 * words that it ends in, in whatever case they are written: `apiKey`, `X-Auth-Token`,
 * `DB_PASSWORD`; not `keyword`, `max_tokens`, `key_path`.
 */
export function isSecretName(name: string): boolean {
  const words = name.slice(-200)
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .split(/[^A-Za-z0-9]+/).filter((word) => word !== "").join(" ").toLowerCase();
  return (SECRET.test(words) || JOINED.test(words)) && !HARMLESS.test(words);
}
