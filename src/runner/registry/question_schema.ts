/** The JSON Schema of a question that AskUserQuestion takes. */
export const questionSchema = {
  type: "object",
  properties: {
    question: {
      type: "string",
      description: "The whole question, such as: Which library should format dates?",
      minLength: 1,
    },
    header: {
      type: "string",
      description: "A word or two that stand for it, at most 12 characters",
      minLength: 1,
      maxLength: 12,
    },
    options: {
      type: "array",
      description: "What can be chosen, each with another label",
      minItems: 2,
      maxItems: 4,
      items: {
        type: "object",
        properties: {
          label: {
            type: "string",
            description: "One to five words that name the option",
            minLength: 1,
          },
          description: { type: "string", description: "What choosing it means", minLength: 1 },
          preview: {
            type: "string",
            description:
              "A sample to compare, shown on a terminal; a form of an MCP client does not show it",
          },
        },
        required: ["label", "description"],
        additionalProperties: false,
      },
    },
    multiSelect: {
      type: "boolean",
      description: "Whether several options may be chosen",
      default: false,
    },
  },
  required: ["question", "header", "options"],
  additionalProperties: false,
} as const;
