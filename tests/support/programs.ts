/** What the tests need of a machine, and not every machine has. */

/** Whether a program is installed. When it is not, says that what needs it is skipped. */
export function has(program: string): boolean {
  const { success } = new Deno.Command("sh", { args: ["-c", `command -v ${program}`] })
    .outputSync();
  // deno-lint-ignore no-console
  if (!success) console.log(`skipped: ${program} is not installed`);
  return success;
}

/** Whether a command works here. When not, says what it is needed for. */
export function works([program, ...args]: string[], use: string): boolean {
  const isWorking = succeeds(program!, args);
  // deno-lint-ignore no-console
  if (!isWorking) console.log(`skipped: ${use}: ${program} does not work here`);
  return isWorking;
}

function succeeds(program: string, args: string[]): boolean {
  try {
    return new Deno.Command(program, { args, stdout: "null", stderr: "null" }).outputSync().success;
  } catch {
    return false;
  }
}
