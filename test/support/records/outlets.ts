/** Outlets whose names are alike, each with some articles: what people call outlets, and what they mean. */
import type { Json } from '../../reference/shapes.ts'
import type { PlainRecord } from '../../reference/dataset.ts'
import { buildRecord, refTo } from './records.ts'

const did = 'did:plc:lexigraphdemopress222222'

/** Record key, which is also the domain; name; number of articles. */
const outlets: readonly (readonly [key: string, name: string, articles: number])[] = [
  ['nytimes.example', 'The New York Times', 9],
  ['cooking.nytimes.example', 'The New York Times', 2],
  ['nytimes-cn.example', 'The New York Times', 1],
  ['nyt.example', 'New York Times', 1],
  ['times.example', 'The Times', 4],
  ['times-india.example', 'Times of India', 12],
  ['nos.example', 'NOS', 3],
  ['diagnosticimaging.example', 'Diagnostic Imaging', 20],
  ['faz.example', 'Frankfurter Allgemeine Zeitung', 5],
  ['dw.example', 'Deutsche Welle', 1],
  ['kurier.example', 'Der Kurier', 2],
  ['lapresse.example', 'La Presse', 3],
  ['diepresse.example', 'Die Presse', 6],
  ['equipe.example', "L'Équipe", 2],
  ['lefigaro.example', 'lefigaro.example', 2],
  ...Array.from({ length: 13 }, (_, at): readonly [string, string, number] => [
    `cnn-${at}.example`,
    at === 0 ? 'CNN' : `CNN ${at}`,
    at % 4,
  ]),
]

export async function buildOutlets(): Promise<readonly PlainRecord[]> {
  const all: PlainRecord[] = []
  for (const [rkey, displayName, articles] of outlets) {
    const createdAt = '2026-11-01T00:00:00.000Z'
    const value: Json = { displayName, baseUrl: `https://www.${rkey}/`, domain: rkey, createdAt }
    const source = await buildRecord('tech.service.news.source', { did, rkey, value })
    all.push(source)
    for (let at = 0; at < articles; at += 1) {
      const article: Json = {
        title: `Article ${at} of ${displayName}`,
        url: `https://www.${rkey}/articles/${at}`,
        source: refTo(source),
        createdAt,
      }
      all.push(
        await buildRecord('tech.service.news.article', { did, rkey: articleKey(rkey, at), value: article }),
      )
    }
  }
  return all
}

/** A TID. */
export function articleKey(outlet: string, at: number): string {
  const number = outlets.findIndex(([key]) => key === outlet) * 32 + at
  return `3aaaaaaaaa${[1024, 32, 1].map((unit) => digits[Math.floor(number / unit) % 32]).join('')}`
}

const digits = '234567abcdefghijklmnopqrstuvwxyz'
