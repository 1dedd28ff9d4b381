import { type Mask, maskOf } from "../../base/text/mask.ts";

/** The replacement of a secret in the log. */
export const LOG_MASK = "[masked]";

/** The length of the shortest variable that is masked: a shorter value occurs in ordinary words. */
const MIN_VALUE = 8;

/** Tokens that are recognised by their prefix, and private keys by their first line. */
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

/** Headers whose whole value is secret, up to the end of the line or the closing quote. */
const HEADERS =
  /\b((?:proxy-)?authorization|(?:set-)?cookie)(\\*["']?[ \t]{0,8}[:=][ \t]{0,8}\\*["']?)[^"'\\\r\n]+/gi;
const SCHEMES = /\b(bearer[ \t]{1,8})[\w.~+/=-]{4,}/gi;
const BASIC = /\b([Bb]asic[ \t]{1,8})(?=[a-z+/]*[A-Z0-9=])[\w+/=-]{8,}/g;
const USER_OF_URL = /\b([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/?#"'<>]{0,2000}@/gi;
/** The signatures in URLs of cloud services, which work like passwords. */
const SIGNATURES = /([?&](?:x-(?:amz|goog)-signature|sig)=)[^&\s"'\\#]+/gi;
/** `NAME=value` and `"name": "value"` in commands, queries and JSON, up to the value. */
const NAMES = /(?<![\w-])(-{0,2}[A-Za-z_][\w.-]{0,80})(\\*["']?[ \t]{0,8}[=:][ \t]{0,8})/g;
const VALUE = /\\*"[^"\\\r\n]*|\\*'[^'\\\r\n]*|[^\s"'\\;,&|]+/y;
/** `--name value`. */
const OPTIONS =
  /(?<![\w-])(--[A-Za-z][\w-]{0,80})([ \t]{1,8})("[^"\r\n]*|'[^'\r\n]*|[^\s"'\\;,&|-][^\s"'\\;,&|]*)/g;

/**
 * Creates a mask for texts of the log. It replaces the values of secret variables of `environment`,
 * authorisation headers, users in URLs, values with a secret name, and tokens and private keys of
 * well-known forms.
 */
export function maskFor(environment: Readonly<Record<string, string>>): Mask {
  const values = Object.entries(environment)
    .filter(([name, value]) => value.length >= MIN_VALUE && isSecretName(name))
    .map(([, value]) => value);
  const maskValues = maskOf(values, LOG_MASK);
  return (text) =>
    maskNamedValues(
      maskValues(text)
        .replace(SHAPES, LOG_MASK)
        .replace(HEADERS, `$1$2${LOG_MASK}`)
        .replace(SCHEMES, `$1${LOG_MASK}`)
        .replace(BASIC, `$1${LOG_MASK}`)
        .replace(USER_OF_URL, `$1${LOG_MASK}@`)
        .replace(SIGNATURES, `$1${LOG_MASK}`),
    ).replace(OPTIONS, maskOption);
}

/** Masks the values of secret names. The value of another name may contain such a pair too. */
function maskNamedValues(text: string): string {
  let [masked, done] = ["", 0];
  for (const { 0: start, 1: name, index } of text.matchAll(NAMES)) {
    if (index < done || !isSecretInText(name!)) continue;
    const end = index + start.length;
    VALUE.lastIndex = end;
    const [value] = VALUE.exec(text) ?? [];
    if (value === undefined || value.startsWith(LOG_MASK)) continue;
    masked += text.slice(done, end) + maskIn(value);
    done = end + value.length;
  }
  return masked + text.slice(done);
}

function maskOption(whole: string, name: string, between: string, value: string): string {
  const isShown = !isSecretInText(name) || value.startsWith(LOG_MASK);
  return isShown ? whole : `${name}${between}${maskIn(value)}`;
}

/** Returns true for a secret name in a text. The single word "key" does not count, as in `sort(key=…)`. */
function isSecretInText(name: string): boolean {
  return !/^-*key$/i.test(name) && isSecretName(name);
}

/** Returns the mask after the opening quote of the value. */
function maskIn(value: string): string {
  return `${/^\\*["']?/.exec(value)![0]}${LOG_MASK}`;
}

/** The endings of names of secrets, as words in lower case. */
const SECRET_ENDING = new RegExp(
  "(^| )(" +
    [
      "pass(word|wd|phrase|code)?s?|secrets?|credentials?|creds|cookies?|auth(orization)?",
      "bearer|jwt|pin|token|key",
      "(api|access|secret|private|auth|session|refresh|bearer|signing|encryption) ?(key|token)s",
    ].join("|") +
    // The form in which the secret is stored.
    ")\\d*( (value|text|string|raw|data|header|b64|base64|hex|\\d+))*$",
);

/** The endings that are also recognised within a word, such as `PGPASSWORD` and `apikey`. */
const JOINED_ENDING =
  /(password|passwd|passphrase|secret|api_?key|access_?key|secret_?key|private_?key|auth_?token|access_?token)$/;

/** The names of keys that are not secret. */
const HARMLESS = /(^| )(public|sort|primary|foreign|cache|group|partition|hot|short ?cut) key$/;

/**
 * Returns true if the name of an argument, a header or a variable ends in words for a secret, in any
 * case: for `apiKey`, `X-Auth-Token` and `DB_PASSWORD`, but not for `keyword`, `max_tokens` and
 * `key_path`.
 */
export function isSecretName(name: string): boolean {
  const words = name.slice(-200)
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .split(/[^A-Za-z0-9]+/).filter((word) => word !== "").join(" ").toLowerCase();
  return (SECRET_ENDING.test(words) || JOINED_ENDING.test(words)) && !HARMLESS.test(words);
}
