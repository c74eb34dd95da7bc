/** A JSON object. */
export type Json = Readonly<Record<string, unknown>>

/** Neither null nor an array. */
export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The value at a path of members and places in arrays; undefined where something else lies in the way. */
export function valueAt(value: unknown, path: readonly (string | number)[]): unknown {
  let at = value
  for (const part of path) {
    if (typeof part === 'number') at = Array.isArray(at) ? at[part] : undefined
    // A member may be named like one that every object inherits.
    else at = isObject(at) && Object.hasOwn(at, part) ? at[part] : undefined
  }
  return at
}

/** A copy whose objects inherit nothing: libraries take what one inherits, such as `constructor`, for its members. */
export function withoutPrototypes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPrototypes)
  if (!isObject(value) || Object.getPrototypeOf(value) !== Object.prototype) return value
  const own: Record<string, unknown> = Object.create(null)
  for (const [name, inner] of Object.entries(value)) own[name] = withoutPrototypes(inner)
  return own
}

/** Undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
