/** The output of a program, for one reader. The runtime's streams cost a cold call 2 ms. */
export interface ProgramOutput {
  /** The next bytes. `undefined` when nobody has the pipe open any more, and once it is cancelled. */
  read(): Promise<Uint8Array | undefined>;
  /** Ends the reading. */
  cancel(): Promise<void>;
}

/** Reads the rest of an output as UTF-8. */
export async function readOutput(output: ProgramOutput): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for (let chunk = await output.read(); chunk; chunk = await output.read()) {
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
