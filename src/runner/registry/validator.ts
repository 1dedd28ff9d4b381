/** An error of a validator, in the form of ajv. */
export interface SchemaError {
  /** JSON pointer to the value. */
  instancePath: string;
  /** JSON pointer, after a `#`, to the keyword in the schema. */
  schemaPath: string;
  /** The keyword that failed. */
  keyword: string;
  /** The keyword's own data. */
  params: Record<string, unknown>;
  /** ajv's words. */
  message?: string;
}

/** A compiled schema. It fills in defaults, returns if the data is valid, and sets `errors`. */
export interface Validator {
  (data: unknown): boolean;
  /** The errors of the last call. */
  errors?: SchemaError[] | null;
}
