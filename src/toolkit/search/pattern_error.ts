/**
 * The error for a pattern that an engine has refused with this message. The
 * regular expression crate's own words are kept, its drawing of the place and
 * advice on options that do not exist here are not.
 */
export function patternError(pattern: string, message: string): Error {
  const reason = /^error: (.*)$/m.exec(message)?.[1] ?? message.split("\n")[0]!;
  const said = reason.replace(/\.$/, "").replace(/^Compiled/, "compiled").replace(/ bytes$/, "");
  return new Error(`Invalid pattern "${pattern}": ${said}${advice(said)}`, {
    cause: { reason: said },
  });
}

function advice(reason: string): string {
  if (reason.startsWith('the literal "\\n"')) return "; set multiline to match across lines";
  if (reason.startsWith("unclosed") || reason.startsWith("unopened")) {
    return "; a literal bracket is escaped with a backslash";
  }
  if (reason === "pattern can match invalid UTF-8") {
    return "; only ripgrep matches single bytes, and it is used only under --allow-all";
  }
  return "";
}
