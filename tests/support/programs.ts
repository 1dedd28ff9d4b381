/** Programs that some tests need, and that not every machine has. */

/** Whether a program is installed. If not, it prints that tests are skipped. */
export function has(program: string): boolean {
  const { success } = new Deno.Command("sh", { args: ["-c", `command -v ${program}`] })
    .outputSync();
  // deno-lint-ignore no-console
  if (!success) console.log(`skipped: ${program} is not installed`);
  return success;
}

/** Whether a command works here. If not, it prints which use is skipped. */
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
