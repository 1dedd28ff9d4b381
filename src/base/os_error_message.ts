/** What the system says in an error, without the number that the runtime puts behind it. */
export function osErrorMessage(error: unknown): string {
  return (error as Error).message.replace(/ \(os error \d+\).*$/s, "");
}
