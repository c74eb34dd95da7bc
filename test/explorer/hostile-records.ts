/** Records that attack the pages that show them. */
import { buildRecord } from '../support/records/records.ts'
import { recordLexicon } from '../support/store/store.ts'

export const note = 'org.example.hostile.note'
export const reply = 'org.example.hostile.reply'

const strongRef = { type: 'ref', ref: 'com.atproto.repo.strongRef' }
const freeText = { type: 'string', maxGraphemes: 200_000, maxLength: 800_000 }
const text = (maxLength: number) => ({ type: 'string', maxLength })
const uri = { type: 'string', format: 'uri' }
const score = { type: 'integer', minimum: 0, maximum: 10 }
const image = { type: 'object', properties: { url: uri, alt: text(1_000) } }
const position = { latitude: text(100), longitude: text(100) }
const place = { type: 'object', properties: { name: text(1_000), ...position } }

/** Every kind of field. */
const noteFields = {
  title: { type: 'string', maxGraphemes: 3_000, maxLength: 30_000 },
  body: freeText,
  language: text(300),
  website: uri,
  image: { type: 'ref', ref: '#image' },
  createdAt: { type: 'string', format: 'datetime' },
  score,
  mood: { type: 'integer', minimum: -100, maximum: 100 },
  tags: { type: 'array', items: text(100) },
  place: { type: 'ref', ref: '#place' },
  parts: { type: 'array', items: { type: 'union', refs: ['#place', '#image'] } },
  about: strongRef,
  file: { type: 'blob' },
  digest: { type: 'bytes' },
  link: { type: 'cid-link' },
  extra: { type: 'unknown' },
}

export const did = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'
export const markup = `]]></p><script>alert(1)</script><img src=x onerror=alert(1)>"'&<svg/onload=alert(1)><!--`
const nested = `<svg xmlns="http://www.w3.org/2000/svg"><svg><script href="data:,alert(1)"/></svg></svg>`
const controls = 'safe\u202Egpj.exe\u2066\u2067\u0001\uFFFE'

/** Objects within objects. */
function deep(levels: number): object {
  return levels === 0 ? { end: markup } : { [`<b>${levels}`]: deep(levels - 1), list: [[[[[[markup]]]]]] }
}

export const attacker = await buildRecord(note, {
  rkey: 'attacker',
  value: {
    title: markup,
    body: `${nested}\n\n${controls}`,
    language: '"><script>alert(2)</script>',
    website: `javascript:alert(document.domain)//`,
    image: { url: 'https://tracker.example/pixel.svg', alt: markup },
    createdAt: '2026-11-16T05:14:39+09:00',
    score: 7,
    mood: -41,
    tags: [markup.slice(0, 90), 'plain'],
    place: { name: markup, latitude: '36.08', longitude: '1"><script>alert(3)</script>' },
    parts: [
      { $type: `${note}#place`, name: 'Here', latitude: '36.08', longitude: '140.08' },
      { $type: `${note}#image`, url: 'https://pictures.example/1.png', alt: markup },
      { $type: 'org.example.hostile.other', onload: 'alert(4)', html: markup },
    ],
    about: {
      uri: `at://${did}/${note}/other`,
      cid: 'bafyreia47fwml52zt3zarbvtaivhrw5233ledck3dko63du6hg3yajutja',
    },
    file: {
      $type: 'blob',
      ref: { $link: 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku' },
      mimeType: 'image/svg+xml',
      size: 12345,
    },
    digest: { $bytes: 'aGVsbG8' },
    link: { $link: 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku' },
    extra: deep(12),
    unknown: {
      uri: `at://${did}/${note}/attacker`,
      collection: note,
      title: 'a false title',
      href: 'javascript:alert(5)',
    },
  },
})
const other = await buildRecord(note, {
  rkey: 'other',
  indexedAt: '2026-01-02T00:00:00Z',
  value: {
    title: 'Another <i>note</i>',
    unknown: { uri: attacker.uri, collection: note, title: 'a false title' },
  },
})
const replies = await Promise.all(
  Array.from({ length: 6 }, (_, at) =>
    buildRecord(reply, {
      rkey: `r${at}`,
      value: {
        to: { uri: attacker.uri, cid: attacker.cid },
        text: `${markup} ${'x'.repeat(at === 0 ? 190_000 : 10)}`,
        score: at,
      },
    }),
  ),
)
export const hostile = {
  lexicons: [
    recordLexicon(note, noteFields, { defs: { image, place } }),
    recordLexicon(reply, { to: strongRef, text: freeText, score }),
  ],
  references: { [`${note}#about`]: [note], [`${reply}#to`]: [note] },
  records: [attacker, other, ...replies],
}
