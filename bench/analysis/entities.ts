/**
 * Gives the enrichments of a corpus entities and locations, which the bench corpus lacks: some thousands of invented
 * names, of which few are frequent and most are rare, as in news. They depend on the URI of the record alone, so that
 * they are the same on every machine and run. Records lose their CID, which no longer fits; the import computes it.
 * Usage: node bench/analysis/entities.ts FROM.jsonl[.gz] TO.jsonl
 */
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { createRandom, type Random } from '../../demo/random.ts'
import type { CorpusRecord } from '../support/corpus.ts'

interface Name {
  readonly name: string
  readonly type: string
  readonly country: string
}

const numberOfNames = 6_000
const numberOfPlaces = 900
/** Of how many names the first are about equally frequent. */
const flatness = 10
const types = [
  'person',
  'person',
  'person',
  'organization',
  'organization',
  'location',
  'location',
  'event',
  'product',
  'other',
] as const
/** User-assigned codes of ISO 3166-1 are no country's; the others are frequent in news. */
const countries = ['US', 'GB', 'FR', 'DE', 'IN', 'CN', 'BR', 'NG', 'JP', 'ZA', 'KE', 'MX', 'UA', 'IT', 'XA']
const syllables = ['ba', 'kel', 'mor', 'tis', 'va', 'ren', 'do', 'lin', 'sha', 'gor', 'pe', 'mu', 'an', 'zor']
const endings: Readonly<Record<string, string>> = {
  organization: ' Group',
  event: ' Summit',
  product: ' One',
}
const enrichmentUri = /^at:\/\/[^/]+\/tech\.service\.news\.enrichment\//

const names = buildNames(numberOfNames, 22, types)
const places = buildNames(numberOfPlaces, 23, ['location'])

/** The record of an enrichment with what its article names; any other as it is. */
export function withEntities(record: CorpusRecord): object {
  if (!enrichmentUri.test(record.uri)) return record
  const random = createRandom(createHash('sha256').update(record.uri).digest().readInt32LE())
  const entities = distinct(random, names, random.integer(3, 8)).map((one) => buildEntity(random, one))
  const locations = distinct(random, places, random.integer(0, 3)).map(({ name, country }) => ({
    name,
    ...(random.chance(0.9) && { country }),
  }))
  const value = { ...record.value, entities, ...(locations.length > 0 && { locations }) }
  return { ...record, cid: undefined, value }
}

/** Writes the records of a file, with entities, to another. */
export async function writeWithEntities(from: string, to: string): Promise<void> {
  await pipeline(Readable.from(linesWithEntities(from)), createWriteStream(to))
}

async function* linesWithEntities(from: string): AsyncGenerator<string> {
  const bytes = createReadStream(from)
  const input = from.endsWith('.gz') ? bytes.pipe(createGunzip()) : bytes
  for await (const line of createInterface({ input }))
    if (line !== '') yield `${JSON.stringify(withEntities(JSON.parse(line)))}\n`
}

function buildEntity(random: Random, { name, type }: Name): object {
  return {
    name,
    type,
    salience: random.integer(0, 100),
    mentions: random.integer(1, 30),
    ...(random.chance(0.7) && { sentimentScore: random.integer(-100, 100) }),
  }
}

/** By the law of Zipf and Mandelbrot: twice as far down the list, half as frequent; the first names are nearly equal. */
function distinct(random: Random, list: readonly Name[], count: number): readonly Name[] {
  const found = new Set<Name>()
  while (found.size < count) {
    const place = Math.floor(flatness * ((list.length + flatness) / flatness) ** random.fraction()) - flatness
    found.add(list[Math.min(place, list.length - 1)] as Name)
  }
  return [...found]
}

function buildNames(count: number, seed: number, kinds: readonly string[]): readonly Name[] {
  const random = createRandom(seed)
  const found = new Map<string, Name>()
  while (found.size < count) {
    const type = random.pick(kinds)
    const name =
      type === 'person' ? `${word(random)} ${word(random)}` : `${word(random)}${endings[type] ?? ''}`
    if (!found.has(name)) found.set(name, { name, type, country: random.pick(countries) })
  }
  return [...found.values()]
}

function word(random: Random): string {
  const text = Array.from({ length: random.integer(2, 4) }, () => random.pick(syllables)).join('')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

if (import.meta.main) {
  const [from, to] = process.argv.slice(2)
  if (from === undefined || to === undefined)
    throw new Error('Usage: node bench/analysis/entities.ts FROM TO')
  await writeWithEntities(from, to)
}
