import { isSecretName } from "./secret_names.ts";

/** What stands where a secret stood. */
export const MASK = "[masked]";

/** A shorter value of a variable would be found in words that have nothing to do with it. */
const SHORTEST = 8;

/** Takes the secrets out of a text. */
export type Mask = (text: string) => string;

/** What tokens look like that are known by their first letters, and keys by their first line. */
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

/** Headers that hold nothing else, to the end of their line or of the quotes they stand in. */
const HEADERS =
  /\b((?:proxy-)?authorization|(?:set-)?cookie)(\\*["']?[ \t]{0,8}[:=][ \t]{0,8}\\*["']?)[^"'\\\r\n]+/gi;
const SCHEMES = /\b(bearer[ \t]{1,8})[\w.~+/=-]{4,}/gi;
const BASIC = /\b([Bb]asic[ \t]{1,8})(?=[a-z+/]*[A-Z0-9=])[\w+/=-]{8,}/g;
const USER_OF_URL = /\b([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/?#"'<>]{0,2000}@/gi;
/** What takes the place of a password in the URLs of clouds. */
const SIGNATURES = /([?&](?:x-(?:amz|goog)-signature|sig)=)[^&\s"'\\#]+/gi;
/** `NAME=value`, `"name": "value"`, as programs, queries and JSON have them: up to the value. */
const NAMES = /(?<![\w-])(-{0,2}[A-Za-z_][\w.-]{0,80})(\\*["']?[ \t]{0,8}[=:][ \t]{0,8})/g;
const VALUE = /\\*"[^"\\\r\n]*|\\*'[^'\\\r\n]*|[^\s"'\\;,&|]+/y;
/** `--name value`. */
const OPTIONS =
  /(?<![\w-])(--[A-Za-z][\w-]{0,80})([ \t]{1,8})("[^"\r\n]*|'[^'\r\n]*|[^\s"'\\;,&|-][^\s"'\\;,&|]*)/g;

/**
 * What takes secrets out of a text: the values of secret variables of `environment`, however
 * JSON and URLs spell them, headers of authorization, users in URLs, values whose name says that
 * they are secret, and what looks like a token or private key of a well-known kind.
 */
export function maskFor(environment: Readonly<Record<string, string>>): Mask {
  const spellings = new Set<string>();
  for (const [name, value] of Object.entries(environment)) {
    if (value.length < SHORTEST || !isSecretName(name)) continue;
    spellings.add(value).add(JSON.stringify(value).slice(1, -1));
    if (value.isWellFormed()) spellings.add(encodeURIComponent(value));
  }
  // The longest first: one may hold another.
  const known = [...spellings].sort((a, b) => b.length - a.length);
  return (text) =>
    withoutNamed(
      known.reduce((masked, each) => masked.replaceAll(each, MASK), text)
        .replace(SHAPES, MASK)
        .replace(HEADERS, `$1$2${MASK}`)
        .replace(SCHEMES, `$1${MASK}`)
        .replace(BASIC, `$1${MASK}`)
        .replace(USER_OF_URL, `$1${MASK}@`)
        .replace(SIGNATURES, `$1${MASK}`),
    ).replace(OPTIONS, option);
}

/** The text without the values of secret names; what another name has for its value may hold one. */
function withoutNamed(text: string): string {
  let [masked, done] = ["", 0];
  for (const { 0: start, 1: name, index } of text.matchAll(NAMES)) {
    if (index < done || !saysSecret(name!)) continue;
    const end = index + start.length;
    VALUE.lastIndex = end;
    const [value] = VALUE.exec(text) ?? [];
    if (value === undefined || value.startsWith(MASK)) continue;
    masked += text.slice(done, end) + hidden(value);
    done = end + value.length;
  }
  return masked + text.slice(done);
}

function option(whole: string, name: string, between: string, value: string): string {
  const isShown = !saysSecret(name) || value.startsWith(MASK);
  return isShown ? whole : `${name}${between}${hidden(value)}`;
}

/** Whether a name in a text is one of a secret: the word key alone means too much, as in sort(key=…). */
function saysSecret(name: string): boolean {
  return !/^-*key$/i.test(name) && isSecretName(name);
}

/** The mask, in the quotes of the value. */
function hidden(value: string): string {
  return `${/^\\*["']?/.exec(value)![0]}${MASK}`;
}
