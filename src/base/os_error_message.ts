/** Returns the system's message in an error, without the error number that Deno adds. */
export function osErrorMessage(error: unknown): string {
  return (error as Error).message.replace(/ \(os error \d+\).*$/s, "");
}
