import { expect } from "@std/expect";
import { growthOf, unitsOf } from "../../../support/measure.ts";
import { logRedactor } from "../../../../src/runner/audit/log_value.ts";
import { isSecretName } from "../../../../src/base/text/secret_patterns.ts";

const jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.s5Jx-Qw_8";
const pem = "-----BEGIN EC PRIVATE KEY-----\nMHcCAQ\nEIB==\n-----END EC PRIVATE KEY-----";

Deno.test("audit mask > the last words of a name decide whether its value is secret", () => {
  // deno-fmt-ignore
  const secret = [
    "key", "apiKey", "api_key", "APIKEY", "X-Api-Key", "token", "accessToken", "GITHUB_TOKEN", "password",
    "dbPassword", "PGPASSWORD", "passwd", "passphrase", "secret", "client_secret", "secrets", "Authorization",
    "Proxy-Authorization", "cookie", "Set-Cookie", "credential", "credentials", "authToken", "auth",
    "private_key", "AWS_SECRET_ACCESS_KEY", "token_value", "password2", "refresh_tokens", "--api-key", "jwt",
  ];
  // deno-fmt-ignore
  const harmless = [
    "keyword", "keywords", "tokens", "max_tokens", "token_count", "old_string", "new_string", "monkey",
    "keyboard", "keys", "public_key", "key_path", "primaryKey", "author", "authority", "tokenizer", "bypass",
    "compass", "secretary", "passive", "PWD", "path", "content", "SSH_AUTH_SOCK", "password_file",
    "model.key_variable", "", "constructor",
  ];
  expect(secret.filter((name) => !isSecretName(name))).toEqual([]);
  expect(harmless.filter(isSecretName)).toEqual([]);
});

Deno.test("audit mask > secrets in a string are masked, and the rest of the string stays", () => {
  const mask = logRedactor({
    MODEL_KEY: 'quite "secret" value',
    SHORT_TOKEN: "abc",
    PWD: "/home/someone",
    DB_PASSWORD: "pä ss/wörd",
  });
  const rows: [text: string, masked: string][] = [
    ['say quite "secret" value now', "say [masked] now"],
    ['{"a":"quite \\"secret\\" value"}', '{"a":"[masked]"}'],
    ["x=p%C3%A4%20ss%2Fw%C3%B6rd&y", "x=[masked]&y"],
    ["abc /home/someone", "abc /home/someone"],
    [
      'curl -H "Authorization: Basic dXNlcjpw" http://h',
      'curl -H "Authorization: [masked]" http://h',
    ],
    ["authorization: Bearer x\nHost: h", "authorization: [masked]\nHost: h"],
    ['{"Authorization": "Token abc"}', '{"Authorization": "[masked]"}'],
    ['{\\"Cookie\\": \\"a=b; c=d\\"}', '{\\"Cookie\\": \\"[masked]\\"}'],
    ["use Bearer abcd.efgh please", "use Bearer [masked] please"],
    ["Basic dXNlcjpwYXNz", "Basic [masked]"],
    ["Basic understanding", "Basic understanding"],
    ["git clone https://me:p@ss@h.org/x", "git clone https://[masked]@h.org/x"],
    ["https://h.org/@scope/x?a=b@c", "https://h.org/@scope/x?a=b@c"],
    ["sk-proj-Abc123_def456", "[masked]"],
    ["the task-list-of-the-whole-team", "the task-list-of-the-whole-team"],
    ["ghp_0123456789abcdefABCD and github_pat_0123456789abcdefAB", "[masked] and [masked]"],
    ["xoxb-123456789-abc AKIAIOSFODNN7EXAMPLE", "[masked] [masked]"],
    ["ntn_0123456789abcdefABCD, tvly-dev-0123456789abcdef", "[masked], [masked]"],
    [
      `secret_${"aB3".repeat(14)} secret_of_the_long_and_winding_road_to_nowhere`,
      "[masked] secret_of_the_long_and_winding_road_to_nowhere",
    ],
    [`a ${jwt} b`, "a [masked] b"],
    [`a\n${pem}\nb`, "a\n[masked]\nb"],
    [`a\n${pem.slice(0, 50)}`, "a\n[masked]"],
    ["API_KEY=abc cmd --password=hunter2 -x", "API_KEY=[masked] cmd --password=[masked] -x"],
    ["cmd --token 'a b' --tokens 5", "cmd --token '[masked]' --tokens 5"],
    ["https://h/?access_token=abc&r=2", "https://h/?access_token=[masked]&r=2"],
    ["env:DB_PASSWORD=abc", "env:DB_PASSWORD=[masked]"],
    ["a=b:token=abc, x", "a=b:token=[masked], x"],
    ['note: "the password=abc"', 'note: "the password=[masked]"'],
    ["password: token=a b", "password: [masked] b"],
    [
      "http://h/x?sig=a%2B/b&X-Amz-Signature=cd#e",
      "http://h/x?sig=[masked]&X-Amz-Signature=[masked]#e",
    ],
    ["http://h/?q=1&access_token=abc&r=2", "http://h/?q=1&access_token=[masked]&r=2"],
    ['{"api_key":"abc","keyword":"def"}', '{"api_key":"[masked]","keyword":"def"}'],
    ["sort(key=len, max_tokens=5)", "sort(key=len, max_tokens=5)"],
  ];
  for (const [text, masked] of rows) expect({ text, masked: mask(text) }).toEqual({ text, masked });
});

Deno.test("audit mask > repeated parts of secrets do not make the mask slow", async () => {
  const mask = logRedactor({ MODEL_KEY: "aaaaaaaaaa" });
  // deno-fmt-ignore
  const parts = [
    "a.", "-", "--a ", "a=", "a:", "://", "a://", "sk-", "eyJ", "-----BEGIN PRIVATE KEY-----", "bearer ", "'", '"',
    "authorization:", "authorization ", "\\", "=", " ", "\t", "password", "password=", "_", "a", "A", "@", "a://b",
  ];
  for (const part of parts) {
    const units = await unitsOf(() => mask(part.repeat(16_384 / part.length)));
    expect([part, units < 10]).toEqual([part, true]);
  }
});

Deno.test("audit mask > a string with many names takes linear time", async () => {
  for (const part of ["a=", "a:", "token=", "token:=", "a\\", 'a="', "--a ", "?sig=", "a=b&"]) {
    const growth = await growthOf(8_000, (count) => logRedactor({})(part.repeat(count)));
    expect([part, growth < 50]).toEqual([part, true]);
  }
});
