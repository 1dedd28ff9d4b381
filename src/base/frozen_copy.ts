/**
 * A deep copy that nobody can change, of all own properties of an object or of the `keys`. Functions
 * are called with the object that had them. Instances of classes in it stay as they are.
 */
export function frozenCopy<T extends object>(value: T, keys = Object.keys(value)): T {
  return copyKeys(value, keys, new Map()) as T;
}

/** `copies` has the copies that were begun, because an object may contain itself. */
function copyKeys(value: object, keys: readonly string[], copies: Map<object, object>): object {
  const copy: object = Array.isArray(value) ? [] : {};
  copies.set(value, copy);
  for (const key of keys) {
    // Assigning a key such as __proto__ would not make a property.
    Object.defineProperty(copy, key, {
      value: copied(Reflect.get(value, key), value, copies),
      enumerable: true,
    });
  }
  return Object.freeze(copy);
}

function copied(value: unknown, holder: object, copies: Map<object, object>): unknown {
  if (typeof value === "function") return value.bind(holder);
  if (!isPlain(value)) return value;
  return copies.get(value) ?? copyKeys(value, Object.keys(value), copies);
}

function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || Array.isArray(value);
}
