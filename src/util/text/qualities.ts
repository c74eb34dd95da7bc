/** Headers of content negotiation (RFC 9110, 12.4): `Accept`, `Accept-Encoding`, `Accept-Language`. */

/**
 * Maximum characters of a header that are read. Browsers send 200. `negotiator` 1.1.0 reads all 12,000 in a
 * millisecond; it also prefers the first of two with equal quality, and refuses a type requested with a charset.
 */
const longestHeader = 2_000

/** Parses `a, b;q=0.5` into a map by lower-case name, in the order of the header; other parameters than `q` are ignored, and a `q` outside 0 to 1 counts as 0. */
export function parseQualities(header: string): ReadonlyMap<string, number> {
  const qualities = new Map<string, number>()
  for (const range of header.slice(0, longestHeader).split(',')) {
    const [name = '', ...parameters] = range.split(';')
    const q = parameters
      .map((parameter) => parameter.trim().toLowerCase())
      .find((text) => text.startsWith('q='))
    const quality = q === undefined ? 1 : Number(q.slice(2))
    qualities.set(name.trim().toLowerCase(), quality >= 0 && quality <= 1 ? quality : 0)
  }
  return qualities
}
