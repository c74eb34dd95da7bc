/**
 * The sample of records whose words are counted. Which records are in it follows from their CIDs alone, so that every
 * database reads the same ones; docs/unusual.md states the rule.
 */

/** Up to this number all records are read; of more, a half, a quarter, …, so that at most about as many are. */
export const mostRead = 10_000

/** Numbers of records, and the parts, in 1024ths, that are read of at most so many; of more, one 1024th. */
export const sampleParts: readonly { readonly records: number; readonly part: number }[] = Array.from(
  { length: 10 },
  (_, halvings) => ({ records: mostRead * 2 ** halvings, part: 1024 / 2 ** halvings }),
)

/** Where the ten bits are that decide: in the 31st byte of a CID and the next, which are two characters of its text. */
export const sampledByte = 30
export const sampledCharacters = [49, 50] as const

/** The characters of a CID's text by their values (base32 of RFC 4648, in small letters). */
export const base32 = 'abcdefghijklmnopqrstuvwxyz234567'
