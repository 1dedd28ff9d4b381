/** A schema that every value fits, for requests whose values are checked elsewhere. */
export const anyValue = {
  "~standard": {
    version: 1 as const,
    vendor: "toolcall",
    validate: (value: unknown) => ({ value }),
  },
};
