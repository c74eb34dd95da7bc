/** Owns the format of API keys. A key ends in a checksum, which tells a mistyped key from an unknown one. */
import { createHash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

const prefix = 'lgk_'
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const secretBytes = 20
/** Base-62 digits for the secret's 160 bits; the checksum's 32 bits need 6. */
const secretDigits = 27
const checksumDigits = 6
export const keyLength = prefix.length + secretDigits + checksumDigits
const form = new RegExp(`^${prefix}[0-9A-Za-z]{${secretDigits + checksumDigits}}$`)

export function createKey(secret: Uint8Array = randomBytes(secretBytes)): string {
  const text = prefix + inDigits(BigInt(`0x${Buffer.from(secret).toString('hex')}`), secretDigits)
  return text + checksumOf(text)
}

/** The key in a text, without surrounding white space; null when the form or the checksum is wrong. */
export function readKey(text: string): string | null {
  const key = text.trim()
  if (!form.test(key)) return null
  const end = key.length - checksumDigits
  return checksumOf(key.slice(0, end)) === key.slice(end) ? key : null
}

const anywhere = new RegExp(`${prefix}[0-9A-Za-z]{${secretDigits + checksumDigits}}`, 'g')

/** Whether a text contains something in the form of a key; its checksum is not verified. */
export function holdsKey(text: string): boolean {
  return text.includes(prefix) && text.search(anywhere) !== -1
}

/** Redacts keys, for logs. */
export function withoutKeys(text: string): string {
  return text.includes(prefix) ? text.replaceAll(anywhere, `${prefix}…`) : text
}

/** The stored form of a key. A plain hash is enough: 160 random bits cannot be searched. */
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
