/** Texts that would do something if a page did not escape them. */

const PAYLOADS: readonly string[] = [
  "<script>hit()</script>",
  "<img src=x onerror=hit()>",
  "<svg onload=hit()>",
  "</pre><script>hit()</script>",
  "javascript:hit()",
  "<iframe srcdoc='<script>parent.hit()</script>'>",
  "{{hit()}}",
  "${hit()}",
  "\u202ehit()",
  "<a href=javascript:hit()>x</a>",
  "<style>*{display:none}</style>",
  "<base href=//attacker.example>",
  "<meta http-equiv=refresh content=0>",
  "<form action=//attacker.example><input autofocus onfocus=hit()>",
  "event: result\ndata: {}\n\n",
  "]]>\0\u2028<script>hit()</script>",
  "<link rel=stylesheet href=//attacker.example/x>",
  "<object data=javascript:hit()>",
  "--- a\n+++ b\n@@ <img src=x onerror=hit()>",
  '{"__proto__":{"hit":1}}',
];

/** A script that runs before the page, and counts the texts that do something. */
export const COUNT_HITS = "window.hits = 0; window.hit = () => window.hits++";

/** A hundred texts. Each ends with its number. */
export const hostileTexts: readonly string[] = Array.from(
  { length: 100 },
  (_, at) =>
    "\n".repeat(Math.floor(at / PAYLOADS.length)) + PAYLOADS[at % PAYLOADS.length] + String(at),
);
