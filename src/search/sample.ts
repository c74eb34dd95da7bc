/**
 * The sample of records whose words are counted. Which records are in it follows from their CIDs alone, so that every
 * database reads the same ones; docs/unusual.md states the rule.
 */

/** Number of records up to which all are read; of more, a half, a quarter and so on, so that about as many are read. */
export const mostRead = 5_000

/** The parts that are read, in 1024ths, of up to so many `records`; of more than the last number, one 1024th. */
export const sampleParts: readonly { readonly records: number; readonly part: number }[] = Array.from(
  { length: 10 },
  (_, halvings) => ({ records: mostRead * 2 ** halvings, part: 1024 / 2 ** halvings }),
)

/** Positions, counted from 0, of the bytes and of the characters of a CID that have the ten bits which decide. */
export const sampledByte = 30
export const sampledCharacters = [49, 50] as const

/** The characters of a CID's text, each at the position of its value (base32 of RFC 4648, in small letters). */
export const base32 = 'abcdefghijklmnopqrstuvwxyz234567'
