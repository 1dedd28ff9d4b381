/** Arguments of a tool that record which of them were read. */

type Schema = Record<string, unknown>;

/** The properties that a tool has read in all its calls. */
export class Readings {
  /** The declared properties that were read, as `/todos/*\/status`. */
  readonly declared = new Set<string>();
  /** The properties that were read and that no schema declares. */
  readonly undeclared = new Set<string>();

  /** Returns the arguments of a call as objects that record each read. */
  record<T>(args: T, schema: unknown): T {
    return this.#recorded(args, [schema as Schema], "") as T;
  }

  #recorded(value: unknown, schemas: readonly Schema[], path: string): unknown {
    if (typeof value !== "object" || value === null) return value;
    return Array.isArray(value)
      ? this.#list(value, schemas, path)
      : this.#object(value, schemas, path);
  }

  #list(list: unknown[], schemas: readonly Schema[], path: string): unknown[] {
    const items = schemas.flatMap(({ items }) => items === undefined ? [] : branches(items));
    return new Proxy(list, {
      get: (target, key) => {
        const value = Reflect.get(target, key);
        const isItem = typeof key === "string" && /^\d+$/.test(key);
        return isItem ? this.#recorded(value, items, `${path}/*`) : value;
      },
    });
  }

  #object(object: object, schemas: readonly Schema[], path: string): object {
    // A copy asks for the names, then for the descriptor and the value of each. That does not count
    // as a read. Reads of the copy are not recorded, so a tool must name the properties that it uses.
    let copied = new Set<PropertyKey>();
    let named = new Set<PropertyKey>();
    return new Proxy(object, {
      ownKeys(target) {
        const keys = Reflect.ownKeys(target);
        [named, copied] = [new Set(keys), new Set()];
        return keys;
      },
      getOwnPropertyDescriptor: (target, key) => {
        if (named.delete(key)) copied.add(key);
        else this.#note(key, schemas, path);
        return Reflect.getOwnPropertyDescriptor(target, key);
      },
      has: (target, key) => {
        this.#note(key, schemas, path);
        return Reflect.has(target, key);
      },
      get: (target, key) => {
        if (!copied.delete(key)) this.#note(key, schemas, path);
        const value = Reflect.get(target, key);
        if (typeof key === "symbol") return value;
        const { inner } = declarationOf(key, schemas);
        return this.#recorded(value, inner, `${path}/${key}`);
      },
    });
  }

  #note(key: PropertyKey, schemas: readonly Schema[], path: string): void {
    // `String()`, `await` and `JSON.stringify()` read these properties of any object.
    if (typeof key !== "string" || key in Object.prototype) return;
    if (key === "then" || key === "toJSON") return;
    const { isDeclared, isOpen } = declarationOf(key, schemas);
    if (isDeclared) this.declared.add(`${path}/${key}`);
    else if (!isOpen) this.undeclared.add(`${path}/${key}`);
  }
}

/** The declaration of a property in the schemas of its object. */
function declarationOf(key: string, schemas: readonly Schema[]) {
  const own = schemas.flatMap((schema) => {
    const properties = (schema["properties"] ?? {}) as Schema;
    return Object.hasOwn(properties, key) ? branches(properties[key]) : [];
  });
  const others = schemas.flatMap(({ additionalProperties = true }) =>
    additionalProperties === false ? [] : branches(additionalProperties)
  );
  const isDeclared = own.length > 0;
  return { isDeclared, isOpen: others.length > 0, inner: isDeclared ? own : others };
}

/** A schema and its alternatives. */
function branches(schema: unknown): Schema[] {
  if (typeof schema !== "object" || schema === null) return [{}];
  const { anyOf = [], oneOf = [], allOf = [] } = schema as Record<string, unknown[]>;
  return [schema as Schema, ...[anyOf, oneOf, allOf].flat().flatMap(branches)];
}

/** Every property that a schema declares, as {@link Readings} names them. */
export function declaredIn(schema: unknown, path = ""): string[] {
  return branches(schema).flatMap(({ properties = {}, items }) => [
    ...Object.entries(properties as Schema).flatMap(([key, property]) => [
      `${path}/${key}`,
      ...declaredIn(property, `${path}/${key}`),
    ]),
    ...(items === undefined ? [] : declaredIn(items, `${path}/*`)),
  ]);
}
