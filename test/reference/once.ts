/** What the evaluator asks again and again of documents and records, which nobody changes, is computed once for each. */
export function once<Of extends object, Result extends object>(
  compute: (of: Of) => Result,
): (of: Of) => Result {
  const known = new WeakMap<Of, Result>()
  return (of) => {
    const before = known.get(of)
    if (before !== undefined) return before
    const result = compute(of)
    known.set(of, result)
    return result
  }
}
