/**
 * An empty object without a prototype: `__proto__` and `constructor` are names like any other in it.
 *
 * `Object.create(null)` would be one too, but V8 keeps its members in a hash table from the first on, and every listing,
 * sizing and serialising of them pays for it. An object whose prototype is taken away afterwards becomes one only when it
 * is large, as any other does.
 */
export function bareObject<T>(): { [name: string]: T } {
  return Object.setPrototypeOf({}, null) as { [name: string]: T };
}
