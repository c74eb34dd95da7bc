/** Validates a line of an import, commonly without conversions: a record that may be stored, or why it is refused. */
import { jsonToLex, lexToIpld, type LexiconDoc, type LexUserType, Lexicons } from '@atproto/lexicon'
import { isCid, type LexValue } from '@atproto/lex-data'
import { isValidDid, isValidNsid, isValidRecordKey, isValidTid } from '@atproto/syntax'
import { cleanText } from '../../util/text/messages.ts'
import { isInstantForm, parseRecordInstant } from '../../util/instant.ts'
import { inKeyOrder } from './encoding.ts'
import { cidOf, formatCid, parseCid } from './cid.ts'
import type { LexiconSet } from '../lexicons.ts'
import { isRecordLexicon } from '../document.ts'
import { createQuickCheck, isBadText, scanJson } from './quick-check.ts'
import { createShapeCheck } from './record-shape.ts'
import { grouped } from '../../util/text/counted.ts'
import { isObject, withoutPrototypes } from '../../util/is-object.ts'

/** Why a record is refused; stored with the rejection, and counted. */
export type RejectionReason =
  | 'malformed'
  | 'bad-uri'
  | 'unknown-collection'
  | 'invalid-record'
  | 'bad-cid'
  | 'cid-mismatch'
  | 'bad-text'
  | 'bad-datetime'
  | 'integer-out-of-range'
  | 'bad-metadata'
  | 'too-large'
  | 'bad-signature'
  | 'bad-proof'
  | 'future-revision'
  | 'unknown-event'
  | 'flood'

export interface ReadRecord {
  readonly collection: string
  readonly did: string
  readonly rkey: string
  /** 36 bytes: CIDv1, dag-cbor, sha-256. */
  readonly cid: Uint8Array
  readonly rev: string | null
  /** Microseconds since 1970; null when the line has no time. */
  readonly indexedAt: bigint | null
  readonly value: Readonly<Record<string, unknown>>
  /** The value as JSON text, each key once. */
  readonly json: string
}

export interface Fault {
  readonly reason: RejectionReason
  readonly message: string
}

export type ParsedRecord =
  | { readonly ok: true; readonly record: ReadRecord }
  /** `uri`: as in the line; null unless it is text that can be stored. */
  | ({ readonly ok: false; readonly uri: string | null } & Fault)

export function createLineReader(lexicons: LexiconSet): (text: string) => ParsedRecord {
  const readRecord = createRecordReader(lexicons)
  return (text) => {
    let line: unknown
    try {
      line = JSON.parse(text)
    } catch (error) {
      const why = error instanceof Error ? error.message : ''
      return refuse(null, 'malformed', `The line is not JSON: ${why}.`)
    }
    return readRecord(line)
  }
}

/** Reads a line as parsed JSON: `{uri, cid?, rev?, indexedAt?, value}`; other members are ignored. */
export function createRecordReader(lexicons: LexiconSet): (line: unknown) => ParsedRecord {
  const collections = compileCollections(lexicons)
  return (line) => {
    if (!isObject(line))
      return refuse(null, 'malformed', 'The line is no JSON object with "uri" and "value".')
    const { uri, value } = line
    if (typeof uri !== 'string') return refuse(null, 'malformed', 'The line has no "uri" that is a string.')
    if (isBadText(uri)) return refuse(null, 'bad-text', 'The URI has a NUL or a lone surrogate in its text.')
    const place = parseUri(uri)
    if (typeof place === 'string') return refuse(uri, 'bad-uri', place)
    if (!isObject(value)) return refuse(uri, 'malformed', 'The line has no "value" that is a JSON object.')
    const collection = collections.get(place.collection)
    if (collection === undefined)
      return refuse(uri, 'unknown-collection', `No lexicon here defines the collection ${place.collection}.`)
    const wrongKey = collection.checkKey(place.rkey)
    if (wrongKey !== null) return refuse(uri, 'bad-uri', wrongKey)
    const metadata = readMetadata(line)
    if ('reason' in metadata) return refuse(uri, metadata.reason, metadata.message)
    const content = readContent(collection, value, line['cid'])
    if ('reason' in content) return refuse(uri, content.reason, content.message)
    const { did, rkey } = place
    const { rev, indexedAt } = metadata
    const { cid, json } = content
    return { ok: true, record: { collection: collection.nsid, did, rkey, cid, rev, indexedAt, value, json } }
  }
}

const largestJson = 1_000_000

function refuse(uri: string | null, reason: RejectionReason, message: string): ParsedRecord {
  return { ok: false, reason, message: cleanText(message), uri }
}

function fault(reason: RejectionReason, message: string): Fault {
  return { reason, message }
}

const uriForm = /^at:\/\/([^/]+)\/([^/]+)\/([^/]+)$/

/** The parts of a record's URI, or what is wrong with it. */
function parseUri(uri: string): Pick<ReadRecord, 'did' | 'collection' | 'rkey'> | string {
  const [, did, collection, rkey] = uriForm.exec(uri) ?? []
  if (did === undefined || collection === undefined || rkey === undefined)
    return 'The URI is not of the form at://did/collection/rkey.'
  if (!isValidDid(did))
    return `"${did}" in the URI is no DID${did.startsWith('did:') ? '' : ', which a record must have'}.`
  if (!isValidNsid(collection)) return `"${collection}" in the URI is no NSID.`
  if (!isValidRecordKey(rkey)) return `"${rkey}" in the URI is no record key.`
  return { did, collection, rkey }
}

function readMetadata(
  line: Readonly<Record<string, unknown>>,
): Pick<ReadRecord, 'rev' | 'indexedAt'> | Fault {
  const { rev = null, indexedAt = null } = line
  if (rev !== null && (typeof rev !== 'string' || !isValidTid(rev)))
    return fault('bad-metadata', 'The "rev" of the line is no TID.')
  if (indexedAt === null) return { rev, indexedAt }
  const instant = typeof indexedAt === 'string' ? parseRecordInstant(indexedAt) : null
  if (instant !== null) return { rev, indexedAt: instant }
  if (typeof indexedAt !== 'string' || !isInstantForm(indexedAt))
    return fault('bad-metadata', 'The "indexedAt" of the line is no RFC 3339 datetime.')
  const message = `The "indexedAt" of the line, ${indexedAt}, is no instant of the years 0001 to 9999.`
  return fault('bad-datetime', message)
}

function readContent(
  collection: ReturnType<typeof compileCollection>,
  value: Readonly<Record<string, unknown>>,
  given: unknown,
): Pick<ReadRecord, 'cid' | 'json'> | Fault {
  const { fault: wrongJson, special } = scanJson(value)
  if (wrongJson !== null) return wrongJson
  const ordered = inKeyOrder(value)
  const json = JSON.stringify(ordered)
  if (json.length * 3 > largestJson && Buffer.byteLength(json) > largestJson)
    return fault('too-large', `The record has more than ${grouped(largestJson)} bytes of JSON.`)
  if (value['$type'] !== collection.nsid)
    return fault('invalid-record', `Record/$type must be "${collection.nsid}", as the URI says.`)
  try {
    // Without links, bytes and blobs, the JSON value equals the lexicon value.
    const lexValue = special ? jsonToLex(value) : value
    if (special || !collection.isSurelyValid(value)) {
      collection.assertValid(lexValue)
      const wrongShape = collection.checkShape(value)
      if (wrongShape !== null) return wrongShape
    }
    const data = (special ? lexToIpld(lexValue) : ordered) as LexValue
    const wrongLink = special ? findWrongLink(data, 'Record') : null
    if (wrongLink !== null) return wrongLink
    const cid = cidOf(data, !special)
    return checkCid(cid, given) ?? { cid, json }
  } catch (error) {
    // The official validator refuses some impossible dates too; their reason must be `bad-datetime`.
    const wrongShape = collection.checkShape(value)
    if (wrongShape?.impossible === true) return wrongShape
    return fault('invalid-record', `${error instanceof Error ? error.message : String(error)}.`)
  }
}

/** Any `$link` or `$bytes` that remains after conversion is invalid. */
function findWrongLink(value: unknown, path: string): Fault | null {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value) || isCid(value)) return null
  for (const [key, member] of Object.entries(value)) {
    if (key === '$link' || key === '$bytes') {
      const what = key === '$link' ? 'link' : 'bytes'
      return fault('invalid-record', `${path} has "${key}" but is no valid ${what}.`)
    }
    const wrong = findWrongLink(member, `${path}/${key}`)
    if (wrong !== null) return wrong
  }
  return null
}

function checkCid(cid: Uint8Array, given: unknown): Fault | null {
  if (given === undefined || given === null) return null
  if (typeof given !== 'string') return fault('bad-cid', 'The "cid" of the line is no string.')
  const computed = formatCid(cid)
  // The texts are nearly always equal; the same CID has other texts in other bases.
  if (given === computed) return null
  const bytes = parseCid(given)
  if (bytes === null)
    return fault('bad-cid', 'The "cid" of the line is no CID of a record (version 1, dag-cbor, sha-256).')
  if (Buffer.compare(bytes, cid) === 0) return null
  return fault('cid-mismatch', `The CID of the value is ${computed}, not ${given}.`)
}

/**
 * Published lexicons use a record's definition as the type of a property, which the library does not validate. The
 * library looks up a definition without expected types only to validate a nested value.
 */
class EmbeddingLexicons extends Lexicons {
  override getDefOrThrow<Type extends LexUserType['type'] = LexUserType['type']>(
    uri: string,
    types?: readonly Type[],
  ): Extract<LexUserType, { type: Type }> {
    const def: LexUserType = super.getDefOrThrow(uri, types)
    return (types === undefined && def.type === 'record' ? def.record : def) as Extract<
      LexUserType,
      { type: Type }
    >
  }
}

function compileCollections(set: LexiconSet) {
  // The library modifies its documents.
  const official = new EmbeddingLexicons(structuredClone(set.documents) as never)
  const shadowed = set.documents.some(({ defs }) => hasInheritedName(defs))
  const compile = (document: LexiconDoc) => compileCollection(document, set, official, shadowed)
  return new Map<string, ReturnType<typeof compileCollection>>(
    set.documents.filter(isRecordLexicon).map((document) => [document.id, compile(document)]),
  )
}

function compileCollection({ id, defs }: LexiconDoc, set: LexiconSet, official: Lexicons, shadowed: boolean) {
  return {
    nsid: id,
    checkKey: keyCheck('key' in defs['main']! ? (defs['main'].key as string) : 'any'),
    /** True makes the two checks below unnecessary; false means unknown. */
    isSurelyValid: shadowed ? () => false : createQuickCheck(set, id),
    assertValid: (value: unknown) =>
      void official.assertValidRecord(id, shadowed ? withoutPrototypes(value) : value),
    checkShape: createShapeCheck(set, id),
  }
}

/** What is wrong with a record key; null when it is valid. */
function keyCheck(type: string): (rkey: string) => string | null {
  if (type === 'tid') return (rkey) => (isValidTid(rkey) ? null : `The record key "${rkey}" must be a TID.`)
  if (type === 'nsid')
    return (rkey) => (isValidNsid(rkey) ? null : `The record key "${rkey}" must be an NSID.`)
  if (!type.startsWith('literal:')) return () => null
  const literal = type.slice('literal:'.length)
  return (rkey) => (rkey === literal ? null : `The record key "${rkey}" must be "${literal}".`)
}

/** Whether a property has a name such as `constructor`, which every plain object inherits. */
function hasInheritedName(node: unknown): boolean {
  if (typeof node !== 'object' || node === null) return false
  if ('properties' in node && Object.keys(Object(node.properties)).some((name) => name in {})) return true
  return Object.values(node).some(hasInheritedName)
}
