/** The schema of the data of shell calls: the outputs of their commands, in order. */
export const shellOutputSchema = {
  type: "object",
  properties: {
    output: {
      type: "array",
      items: {
        type: "object",
        properties: {
          stdout: { type: "string" },
          stderr: { type: "string" },
          outcome: {
            type: "object",
            properties: {
              type: { type: "string", enum: ["exit", "timeout"] },
              exit_code: { type: "integer" },
            },
            required: ["type"],
            additionalProperties: false,
          },
        },
        required: ["stdout", "stderr", "outcome"],
        additionalProperties: false,
      },
    },
  },
  required: ["output"],
  additionalProperties: false,
} as const;
