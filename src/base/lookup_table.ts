/** A table that any string may index. It inherits no names, such as `constructor`. */
export function lookupTable<T>(rows: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  return Object.assign(Object.create(null), rows);
}
