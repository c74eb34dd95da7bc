/** A collection with every kind of field, for records that attack the pages that show them. */
const strongRef = { type: 'ref', ref: 'com.atproto.repo.strongRef' }
const freeText = { type: 'string', maxGraphemes: 200_000, maxLength: 800_000 }

export const note = 'org.example.hostile.note'
export const reply = 'org.example.hostile.reply'

export const hostileLexicons = [
  {
    lexicon: 1,
    id: note,
    defs: {
      main: {
        type: 'record',
        key: 'any',
        record: {
          type: 'object',
          required: [],
          properties: {
            title: { type: 'string', maxGraphemes: 3_000, maxLength: 30_000 },
            body: freeText,
            language: { type: 'string', maxLength: 300 },
            website: { type: 'string', format: 'uri' },
            image: { type: 'ref', ref: '#image' },
            createdAt: { type: 'string', format: 'datetime' },
            score: { type: 'integer', minimum: 0, maximum: 10 },
            mood: { type: 'integer', minimum: -100, maximum: 100 },
            tags: { type: 'array', items: { type: 'string', maxLength: 100 } },
            place: { type: 'ref', ref: '#place' },
            parts: { type: 'array', items: { type: 'union', refs: ['#place', '#image'] } },
            about: strongRef,
            file: { type: 'blob' },
            digest: { type: 'bytes' },
            link: { type: 'cid-link' },
            extra: { type: 'unknown' },
          },
        },
      },
      image: {
        type: 'object',
        required: ['url'],
        properties: { url: { type: 'string', format: 'uri' }, alt: { type: 'string', maxLength: 1_000 } },
      },
      place: {
        type: 'object',
        required: [],
        properties: {
          name: { type: 'string', maxLength: 1_000 },
          latitude: { type: 'string', maxLength: 100 },
          longitude: { type: 'string', maxLength: 100 },
        },
      },
    },
  },
  {
    lexicon: 1,
    id: reply,
    defs: {
      main: {
        type: 'record',
        key: 'any',
        record: {
          type: 'object',
          required: ['to'],
          properties: { to: strongRef, text: freeText, score: { type: 'integer', minimum: 0, maximum: 10 } },
        },
      },
    },
  },
]

export const hostileReferences = { [`${note}#about`]: [note], [`${reply}#to`]: [note] }
