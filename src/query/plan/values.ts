/** Checks of single argument values. */
import { ServiceError } from '../../errors.ts'
import { assertWithin } from '../parse/limits.ts'

/** Returns the text. NUL and lone surrogates are rejected, because no record can hold them. */
export function checkedText(name: string, text: string): string {
  assertWithin('characters', text.length, `\`${name}\` is too long`)
  if (text.includes('\0') || !text.isWellFormed())
    throw new ServiceError(
      'BAD_USER_INPUT',
      `\`${name}\` has a NUL character or half a surrogate pair, which no record can hold. Remove it.`,
    )
  return text
}

/** Returns an integer within bounds, or the default if the argument is absent or null. */
export function integerArgument(
  name: string,
  value: unknown,
  { min, max, otherwise }: { readonly min: number; readonly max: number; readonly otherwise: number },
): number {
  if (value === undefined || value === null) return otherwise
  if (typeof value === 'number' && value >= min && value <= max) return value
  throw new ServiceError(
    'BAD_USER_INPUT',
    `\`${name}: ${String(value)}\` is out of range: write ${min} to ${max}.`,
  )
}

/** https://atproto.com/specs/at-uri-scheme: authority, then optional collection, then optional record key. */
const atUri = /^at:\/\/[A-Za-z0-9._:%-]+(\/[A-Za-z0-9.-]+(\/[A-Za-z0-9._~:@!$&'()*+,;=%-]+)?)?$/

export function checkedAtUri(name: string, uri: string): string {
  if (atUri.test(checkedText(name, uri))) return uri
  throw new ServiceError(
    'BAD_USER_INPUT',
    `\`${name}\` is no AT-URI. Write at://DID/COLLECTION/RECORD-KEY, such as at://did:plc:abc/app.example.post/3k2a.`,
  )
}

/** Throws BAD_USER_INPUT for null, which cannot be compared with anything. */
export function present(name: string, value: unknown): unknown {
  if (value !== null) return value
  throw new ServiceError(
    'BAD_USER_INPUT',
    `\`${name}: null\` in \`where\` says nothing. Ask for missing values with \`isNull: true\`, or leave \`${name}\` out.`,
  )
}
