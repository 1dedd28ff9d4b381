/** Finds secrets by their form, and by the names that values have. */

/** The last words of a name whose value is secret, in lower case. */
const SECRET = new RegExp(
  "(^| )(" +
    [
      "pass(word|wd|phrase|code)?s?|secrets?|credentials?|creds|cookies?|auth(orization)?",
      "bearer|jwt|pin|token|key",
      "(api|access|secret|private|auth|session|refresh|bearer|signing|encryption) ?(key|token)s",
    ].join("|") +
    // A suffix that names the form of the value.
    ")\\d*( (value|text|string|raw|data|header|b64|base64|hex|\\d+))*$",
);

/** The same within one word, such as `PGPASSWORD` and `apikey`. */
const JOINED =
  /(password|passwd|passphrase|secret|api_?key|access_?key|secret_?key|private_?key|auth_?token|access_?token)$/;

/** Kinds of keys that are not secret. */
const HARMLESS = /(^| )(public|sort|primary|foreign|cache|group|partition|hot|short ?cut) key$/;

/**
 * Whether the name of an argument, a header or a variable says that its value is secret. The last
 * words decide, in any case: `apiKey`, `X-Auth-Token` and `DB_PASSWORD` are secret, but
 * `keyword`, `max_tokens` and `key_path` are not.
 */
export function isSecretName(name: string): boolean {
  const words = name.slice(-200)
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .split(/[^A-Za-z0-9]+/).filter((word) => word !== "").join(" ").toLowerCase();
  return (SECRET.test(words) || JOINED.test(words)) && !HARMLESS.test(words);
}

/** Tokens that are known by their first letters, and private keys by their first line. */
const SHAPES = new RegExp(
  "-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----[^]*?(-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----|$)|" +
    "(?<![A-Za-z0-9_])(?:" + [
    "sk-[\\w-]{12,}",
    "(sk|rk|pk)_(live|test)_\\w{12,}",
    "gh[opusr]_\\w{16,}",
    "github_pat_\\w{16,}",
    "glpat-[\\w-]{16,}",
    "xox[a-z]-[\\w-]{8,}",
    "xapp-[\\w-]{8,}",
    "A[KS]IA[A-Z0-9]{12,}",
    "AIza[\\w-]{30,}",
    "(npm|hf)_[A-Za-z0-9]{30,}",
    "ntn_\\w{16,}",
    "secret_[A-Za-z0-9]{40,}",
    "tvly-[\\w-]{16,}",
    "eyJ[\\w-]{8,}\\.[\\w-]{4,}(\\.[\\w-]*)?",
  ].join("|") + ")",
  "g",
);

/** Headers whose whole value is secret, up to the end of the line or of the quotes. */
const HEADERS =
  /\b((?:proxy-)?authorization|(?:set-)?cookie)(\\*["']?[ \t]{0,8}[:=][ \t]{0,8}\\*["']?)[^"'\\\r\n]+/gi;
const SCHEMES = /\b(bearer[ \t]{1,8})[\w.~+/=-]{4,}/gi;
const BASIC = /\b([Bb]asic[ \t]{1,8})(?=[a-z+/]*[A-Z0-9=])[\w+/=-]{8,}/g;
const USER_OF_URL = /\b([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/?#"'<>]{0,2000}@/gi;
/** The signatures in the URLs of cloud storage. */
const SIGNATURES = /([?&](?:x-(?:amz|goog)-signature|sig)=)[^&\s"'\\#]+/gi;
/** The part before the value in `NAME=value` and `"name": "value"`. */
const NAMES = /(?<![\w-])(-{0,2}[A-Za-z_][\w.-]{0,80})(\\*["']?[ \t]{0,8}[=:][ \t]{0,8})/g;
const VALUE = /\\*"[^"\\\r\n]*|\\*'[^'\\\r\n]*|[^\s"'\\;,&|]+/y;
/** `--name value`. */
const OPTIONS =
  /(?<![\w-])(--[A-Za-z][\w-]{0,80})([ \t]{1,8})("[^"\r\n]*|'[^'\r\n]*|[^\s"'\\;,&|-][^\s"'\\;,&|]*)/g;

/**
 * Replaces by `mask` whatever looks like a secret: tokens and private keys of well-known kinds,
 * authorisation headers, users in URLs, and values whose names say that they are secret.
 */
export function redactPatterns(text: string, mask: string): string {
  const redacted = text
    .replace(SHAPES, mask)
    .replace(HEADERS, `$1$2${mask}`)
    .replace(SCHEMES, `$1${mask}`)
    .replace(BASIC, `$1${mask}`)
    .replace(USER_OF_URL, `$1${mask}@`)
    .replace(SIGNATURES, `$1${mask}`);
  return redactNamedValues(redacted, mask).replace(
    OPTIONS,
    (whole, name: string, between: string, value: string) =>
      !isSecretNameInText(name) || value.startsWith(mask)
        ? whole
        : name + between + maskQuoted(value, mask),
  );
}

/** Redacts the values of secret names. The value of another name may contain such a pair itself. */
function redactNamedValues(text: string, mask: string): string {
  let [redacted, done] = ["", 0];
  for (const { 0: start, 1: name, index } of text.matchAll(NAMES)) {
    if (index < done || !isSecretNameInText(name!)) continue;
    const end = index + start.length;
    VALUE.lastIndex = end;
    const [value] = VALUE.exec(text) ?? [];
    if (value === undefined || value.startsWith(mask)) continue;
    redacted += text.slice(done, end) + maskQuoted(value, mask);
    done = end + value.length;
  }
  return redacted + text.slice(done);
}

/** Like {@link isSecretName}, but without `key`, which is a common word, as in `sort(key=…)`. */
function isSecretNameInText(name: string): boolean {
  return !/^-*key$/i.test(name) && isSecretName(name);
}

/** The mask, in the quotes of the value. */
function maskQuoted(value: string, mask: string): string {
  return `${/^\\*["']?/.exec(value)![0]}${mask}`;
}
