/**
 * The one order of an object's keys: shorter ones first, then by bytes, as DAG-CBOR and so every repository has it
 * (https://ipld.io/specs/codecs/dag-cbor/spec/#strictness). A record looks the same however it came here.
 */

/** The same JSON value with its keys in order; what is in order already is not copied. */
export function inKeyOrder<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const copy = value.map(inKeyOrder)
    return (copy.every((element, index) => element === value[index]) ? value : copy) as Value
  }
  const keys = Object.keys(value)
  const members = value as Record<string, unknown>
  let isSame = keys.every((key, index) => index === 0 || compareKeys(keys[index - 1] as string, key) < 0)
  if (!isSame) keys.sort(compareKeys)
  const copy: [string, unknown][] = keys.map((key) => {
    const member = inKeyOrder(members[key])
    if (member !== members[key]) isSame = false
    return [key, member]
  })
  return isSame ? value : (Object.fromEntries(copy) as Value)
}

const ascii = /^[\0-\x7f]*$/

function compareKeys(a: string, b: string): number {
  if (!ascii.test(a) || !ascii.test(b))
    return Buffer.byteLength(a) - Buffer.byteLength(b) || Buffer.compare(Buffer.from(a), Buffer.from(b))
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0)
}
