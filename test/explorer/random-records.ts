/** Random records of three kinds, from one day to thirty years, with few values or many. */
import type { createRandom } from '../../demo/random.ts'
import { plainRecord } from '../golden/corpora.ts'
import type { Json } from '../reference/shapes.ts'
import { cidOf } from '../support/records/records.ts'
import { recordLexicon } from '../support/store/store.ts'

const text = { type: 'string', maxGraphemes: 300 }
const texts = { title: text, description: text }
const time = { publishedAt: { type: 'string', format: 'datetime' } }
const values = {
  language: { type: 'string', format: 'language' },
  articleType: { type: 'string', maxLength: 40 },
  tags: { type: 'array', items: { type: 'string', maxLength: 40 } },
  wordCount: { type: 'integer' },
  isAccessibleForFree: { type: 'boolean' },
}
/** The properties of each kind of record. */
export const kinds: Readonly<Record<string, Json>> = {
  'org.example.report': { ...texts, ...time, ...values },
  'org.example.reading': { ...time, ...values },
  'org.example.note': { ...texts, ...values },
}
export const lexicons = Object.entries(kinds).map(([nsid, properties]) => recordLexicon(nsid, properties))
const day = 86_400_000
export const shapes = [
  { days: 1, most: 3 },
  { days: 40, most: 30 },
  // Periods and values of many records and of few.
  { days: 30, most: 8, least: 500 },
  { days: 900, most: 9 },
  { days: 4_000, most: 60 },
  { days: 11_000, most: 6 },
] as const

/** `vaa`, `vab`: tags of languages, most of which have no name. */
function languageOf(at: number): string {
  return `v${[Math.floor(at / 26), at % 26].map((each) => String.fromCodePoint(97 + each)).join('')}`
}

interface Shape {
  readonly days: number
  readonly most: number
  readonly least?: number
}

type Random = ReturnType<typeof createRandom>['fraction']

/** Records of all kinds in so many days, of so many values; some without a time, and some with one that is wrong. */
export async function drawRecords(random: Random, { days, most, least = 60 }: Shape) {
  const pick = (count: number): number => Math.floor(random() * count)
  // Several that are wrong are often in the same year.
  const wrong = ['0001-03-04T05:06:07Z', '9999-12-31T23:00:00Z', '2031-01-01T00:00:00Z'].slice(pick(3))
  const end = Date.UTC(2026, 10, 20) - pick(2_000) * day
  const misdated = least > 60 ? 0.1 : ([0.07, 0.075, 0.12][pick(3)] ?? 0)
  // Of one kind, no record may have a right time.
  const timeless = [...Object.keys(kinds), ...Object.keys(kinds)][pick(12)]
  const rare = (value: () => string): string | undefined => (random() < 0.1 ? undefined : value())
  const timeOf = (): string | undefined => {
    const drawn = random()
    if (drawn < 0.05) return undefined
    if (drawn < 0.07) return wrong[pick(wrong.length)]
    if (drawn < misdated) return new Date(end - (pick(400) - 100) * day).toISOString()
    return new Date(end - Math.floor(random() ** 2 * days * day)).toISOString()
  }
  const lines = Array.from({ length: least + pick(200) }, (_, at) => {
    const nsid = Object.keys(kinds)[pick(3)] ?? ''
    const known = kinds[nsid]
    const value: Json = {
      $type: nsid,
      title: ['storm', 'storm surge', 'storm surge', 'flood rain', 'flood rain', 'storm flood'][pick(6)],
      description: rare(() => ['surge', 'rain'][pick(2)] ?? ''),
      publishedAt: nsid === timeless ? wrong.at(-1 - pick(2)) : timeOf(),
      language: rare(() => languageOf(Math.floor(random() ** 2 * Math.ceil(most * random())))),
      articleType: rare(() => `kind ${pick(2)}`),
      tags: Array.from({ length: pick(4) }, () => `t${pick(most)}`),
      wordCount: pick(10) === 0 ? undefined : pick(3_000),
      isAccessibleForFree: random() < 0.5,
    }
    const own = Object.entries(value).filter(
      ([name, of]) => of !== undefined && (name === '$type' || known[name]),
    )
    const uri = `at://did:plc:${'a'.repeat(24)}/${nsid}/r${at}`
    return { uri, indexedAt: new Date(end + at * 1_000).toISOString(), value: Object.fromEntries(own) }
  })
  return Promise.all(lines.map(async (line) => plainRecord({ ...line, cid: await cidOf(line.value) })))
}
