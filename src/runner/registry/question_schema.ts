/** The JSON Schema of a question that AskUserQuestion takes. */
export const questionSchema = {
  type: "object",
  properties: {
    question: {
      type: "string",
      description: "The complete question, such as: Which library should format dates?",
      minLength: 1,
    },
    header: {
      type: "string",
      description: "A short label, at most 12 characters.",
      minLength: 1,
      maxLength: 12,
    },
    options: {
      type: "array",
      description: "The options, with distinct labels.",
      minItems: 2,
      maxItems: 4,
      items: {
        type: "object",
        properties: {
          label: {
            type: "string",
            description: "The option in one to five words.",
            minLength: 1,
          },
          description: {
            type: "string",
            description: "The consequence of choosing it.",
            minLength: 1,
          },
          preview: {
            type: "string",
            description: "A sample to compare. Shown on a terminal, but not by MCP clients.",
          },
        },
        required: ["label", "description"],
        additionalProperties: false,
      },
    },
    multiSelect: {
      type: "boolean",
      description: "Whether several options can be selected.",
      default: false,
    },
  },
  required: ["question", "header", "options"],
  additionalProperties: false,
} as const;
