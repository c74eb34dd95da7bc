/**
 * Page cursors: a position in a sort order, sealed to detect damage and cursors of other lists.
 * Format: base64url of 6 bytes of md5 over binding and position, then the position as JSON.
 * md5, because every database can compute it. The seal guards against accidents, not against forgery:
 * a forged position gains nothing, because positions are only compared with.
 */
import { createHash } from 'node:crypto'
import { parseJson } from './is-object.ts'

/** `binding` names the list and its order; `position` is a JSON array. Equal input gives an equal cursor. */
export function encodeCursor(binding: string, position: string): string {
  return Buffer.concat([seal(binding, position), Buffer.from(position)]).toString('base64url')
}

/** The position's values, or null when the cursor is damaged or has another binding. */
export function decodeCursor(binding: string, cursor: string): readonly unknown[] | null {
  const bytes = Buffer.from(cursor, 'base64url')
  // The decoder skips characters outside base64url; only the canonical form is accepted.
  if (bytes.length < sealLength + 2 || bytes.toString('base64url') !== cursor) return null
  const position = bytes.subarray(sealLength).toString()
  if (!seal(binding, position).equals(bytes.subarray(0, sealLength))) return null
  // Anyone can compute a seal, so the content is checked too.
  return parseArray(position)
}

const sealLength = 6

/** Null if the text is not an array in JSON. */
export function parseArray(text: string): readonly unknown[] | null {
  const value = parseJson(text)
  return Array.isArray(value) ? value : null
}

function seal(binding: string, position: string): Buffer {
  return createHash('md5').update(`${binding}\0${position}`).digest().subarray(0, sealLength)
}
