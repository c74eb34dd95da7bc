/** A JSON object. */
export type Json = Readonly<Record<string, unknown>>

/** Neither null nor an array. */
export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
