/** One fault that a validator found; ajv's error object. */
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

/** A compiled schema: fills in defaults, answers whether the data fits, leaves its errors behind. */
export interface Validator {
  (data: unknown): boolean;
  /** What was wrong with the data of the last call. */
  errors?: SchemaError[] | null;
}
