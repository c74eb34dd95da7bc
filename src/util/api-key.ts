/** What a key of a caller looks like. It ends in a checksum, so that a mistyped one is told from an unknown one. */
import { createHash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

const prefix = 'lgk_'
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const secretBytes = 20
/** As many digits as 160 bits and 32 bits can need. */
const secretDigits = 27
const checksumDigits = 6
export const keyLength = prefix.length + secretDigits + checksumDigits
const form = new RegExp(`^${prefix}[0-9A-Za-z]{${secretDigits + checksumDigits}}$`)

/** A new one; nothing of it can be guessed. */
export function createKey(secret: Uint8Array = randomBytes(secretBytes)): string {
  const text = prefix + inDigits(BigInt(`0x${Buffer.from(secret).toString('hex')}`), secretDigits)
  return text + checksumOf(text)
}

/** The key that a text is, without white space around it; null when it is none, as after a typing mistake. */
export function readKey(text: string): string | null {
  const key = text.trim()
  if (!form.test(key)) return null
  const end = key.length - checksumDigits
  return checksumOf(key.slice(0, end)) === key.slice(end) ? key : null
}

const anywhere = new RegExp(`${prefix}[0-9A-Za-z]{${secretDigits + checksumDigits}}`, 'g')

/** Whether a text has something in it that looks like a key. */
export function holdsKey(text: string): boolean {
  return text.includes(prefix) && text.search(anywhere) !== -1
}

/** The same text, fit for a log. */
export function withoutKeys(text: string): string {
  return text.includes(prefix) ? text.replaceAll(anywhere, `${prefix}…`) : text
}

/** What is kept of a key. It has enough chance in it for a plain hash: nobody can try them all. */
export function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex')
}

function checksumOf(text: string): string {
  return inDigits(BigInt(crc32(text)), checksumDigits)
}

function inDigits(value: bigint, length: number): string {
  const base = BigInt(digits.length)
  let text = ''
  for (let rest = value; text.length < length; rest /= base) text = digits.charAt(Number(rest % base)) + text
  return text
}
