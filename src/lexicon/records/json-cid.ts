/** Computes the CID of a record in the JSON form of the data model. */
import { type JsonValue, jsonToLex } from '@atproto/lex-json'
import { cidOf, formatCid } from './cid.ts'

/** The CID as text; null when the value cannot be encoded. */
export function cidOfJson(value: object): string | null {
  try {
    return formatCid(cidOf(jsonToLex(value as JsonValue)))
  } catch {
    return null
  }
}
