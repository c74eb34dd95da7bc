/** Arbitraries of a corpus are large, and made once for each thing that they are of. */

/** What `make` makes for a key of a corpus, made at the first time. */
export function onceFor<Made>(make: () => Made, owner: object, ...key: readonly unknown[]): Made {
  const known = made.get(owner) ?? new Map<string, unknown>()
  made.set(owner, known)
  const name = JSON.stringify(key)
  if (!known.has(name)) known.set(name, make())
  return known.get(name) as Made
}

const made = new WeakMap<object, Map<string, unknown>>()
