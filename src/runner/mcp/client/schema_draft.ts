/** A draft of JSON Schema. */
export type SchemaDraft = "draft-04" | "draft-06" | "draft-07" | "2019-09" | "2020-12";

/** The drafts by the URIs of their meta-schemas. Draft 3 differs little from draft 4. */
export const DRAFTS: Readonly<Record<string, SchemaDraft>> = {
  "http://json-schema.org/draft-03/schema": "draft-04",
  "http://json-schema.org/draft-04/schema": "draft-04",
  "http://json-schema.org/draft-06/schema": "draft-06",
  "http://json-schema.org/draft-07/schema": "draft-07",
  "https://json-schema.org/draft/2019-09/schema": "2019-09",
  "https://json-schema.org/draft/2020-12/schema": "2020-12",
};
