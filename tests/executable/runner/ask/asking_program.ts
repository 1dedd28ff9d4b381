/** The question of the tests, and how they write a program that answers it. */

export const question = {
  question: 'Wohin? "天" \\ 100% $HOME `id`',
  header: "Place",
  options: [
    { label: "Here", description: "Stay" },
    { label: "There", description: "Go" },
  ],
};

/** The arguments of a call with the question. */
export const args = { questions: [question] };

/** Writes a shell script into `directory`, and returns its path. */
export function program(directory: string, script: string): string {
  const path = `${directory}/ask`;
  Deno.writeTextFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return path;
}
