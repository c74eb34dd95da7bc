/**
 * Four collections with every kind of field, for tests that draw records and questions at random.
 * A library on purpose: nothing in the program may know about news.
 */

const strongRef = { type: 'ref', ref: 'com.atproto.repo.strongRef' }
const atUri = { type: 'string', format: 'at-uri' }
const uri = { type: 'string', format: 'uri', maxLength: 2048 }
const datetime = { type: 'string', format: 'datetime' }
const freeText = { type: 'string', maxGraphemes: 300, maxLength: 3000 }
const country = { type: 'string', minLength: 2, maxLength: 2 }

export const collections = {
  book: 'org.example.library.book',
  person: 'org.example.library.person',
  publisher: 'org.example.library.publisher',
  review: 'org.example.library.review',
} as const

/** Of every kind at least one. */
const nullableOfBooks = `shelf author pages blurb genre medium serial publishedAt page series mention
  imprint outline tags scores credits related sources edition cover digest link extra`.split(/\s+/)

export const libraryLexicons = [
  record(collections.publisher, {
    required: ['name'],
    nullable: ['country', 'capital', 'independent', 'openedAt', 'languages', 'head'],
    properties: {
      name: freeText,
      country,
      founded: { type: 'integer', minimum: -3000, maximum: 3000 },
      capital: { type: 'integer' },
      independent: { type: 'boolean' },
      openedAt: datetime,
      languages: { type: 'array', items: { type: 'string', format: 'language' }, maxLength: 10 },
      head: strongRef,
    },
  }),
  record(collections.person, {
    nullable: ['name', 'role', 'rating', 'fortune', 'active', 'bornAt', 'mentor'],
    properties: {
      name: freeText,
      country,
      role: { type: 'string', maxLength: 64, knownValues: ['writer', 'critic', 'translator'] },
      rating: { type: 'integer', minimum: -100, maximum: 100 },
      fortune: { type: 'integer' },
      active: { type: 'boolean' },
      bornAt: datetime,
      site: uri,
      employer: strongRef,
      mentor: atUri,
    },
  }),
  record(
    collections.book,
    {
      required: ['title'],
      nullable: nullableOfBooks,
      properties: {
        title: freeText,
        blurb: { type: 'string', maxGraphemes: 3000, maxLength: 30_000 },
        note: { type: 'string' },
        shelf: { type: 'string', maxLength: 120 },
        genre: { type: 'string', maxLength: 32, enum: ['novel', 'poetry', 'essay', 'reference'] },
        medium: { type: 'string', maxLength: 3000, knownValues: ['paper', 'audio', 'screen'] },
        language: { type: 'string', format: 'language' },
        pages: { type: 'integer', minimum: 0, maximum: 10_000 },
        serial: { type: 'integer' },
        // Clashes with a group's own field, so it answers as `record_count`.
        count: { type: 'integer', minimum: -5, maximum: 5 },
        inPrint: { type: 'boolean' },
        page: uri,
        publishedAt: datetime,
        author: strongRef,
        series: atUri,
        mention: strongRef,
        about: atUri,
        subject: strongRef,
        archive: atUri,
        imprint: { type: 'ref', ref: '#imprint' },
        outline: { type: 'ref', ref: '#part' },
        tags: { type: 'array', items: { type: 'string', maxLength: 640, maxGraphemes: 64 }, maxLength: 20 },
        labels: {
          type: 'array',
          items: { type: 'string', maxLength: 3000, knownValues: ['new', 'old'] },
          maxLength: 10,
        },
        scores: { type: 'array', items: { type: 'integer' }, maxLength: 20 },
        credits: { type: 'array', items: { type: 'ref', ref: '#credit' }, maxLength: 20 },
        related: { type: 'array', items: strongRef, maxLength: 20 },
        sources: { type: 'array', items: atUri, maxLength: 20 },
        edition: { type: 'union', refs: ['#paperback', '#recording', 'com.atproto.repo.strongRef'] },
        cover: { type: 'blob', accept: ['image/*'] },
        digest: { type: 'bytes', maxLength: 64 },
        link: { type: 'cid-link' },
        extra: { type: 'unknown' },
      },
    },
    {
      imprint: {
        type: 'object',
        nullable: ['city', 'founded', 'open', 'since', 'house', 'marks'],
        properties: {
          city: { type: 'string', maxLength: 120 },
          trade: { type: 'string', maxLength: 3000, knownValues: ['print', 'audio'] },
          founded: { type: 'integer', minimum: 0, maximum: 3000 },
          open: { type: 'boolean' },
          since: datetime,
          site: uri,
          house: strongRef,
          marks: { type: 'array', items: { type: 'string', maxLength: 120 }, maxLength: 10 },
        },
      },
      part: {
        type: 'object',
        nullable: ['heading', 'number', 'part', 'parts'],
        properties: {
          heading: { type: 'string', maxLength: 120 },
          number: { type: 'integer', minimum: 0, maximum: 100 },
          mood: { type: 'string', maxLength: 3000, knownValues: ['calm', 'tense'] },
          part: { type: 'ref', ref: '#part' },
          parts: { type: 'array', items: { type: 'ref', ref: '#part' }, maxLength: 5 },
        },
      },
      credit: {
        type: 'object',
        required: ['name'],
        nullable: ['name', 'share', 'paid', 'since', 'person', 'skills'],
        properties: {
          name: { type: 'string', maxLength: 120 },
          share: { type: 'integer', minimum: 0, maximum: 100 },
          craft: { type: 'string', maxLength: 3000, knownValues: ['text', 'image'] },
          paid: { type: 'boolean' },
          since: datetime,
          profile: uri,
          person: strongRef,
          skills: { type: 'array', items: { type: 'string', maxLength: 120 }, maxLength: 10 },
        },
      },
      paperback: {
        type: 'object',
        required: ['grams'],
        properties: { grams: { type: 'integer', minimum: 0, maximum: 5000 } },
      },
      recording: {
        type: 'object',
        required: ['minutes'],
        properties: { minutes: { type: 'integer' }, reader: strongRef },
      },
    },
  ),
  record(collections.review, {
    required: ['book'],
    nullable: ['text', 'verdict', 'stars', 'share', 'helpful', 'writtenAt'],
    properties: {
      book: strongRef,
      text: freeText,
      verdict: { type: 'string', maxLength: 32, knownValues: ['good', 'bad', 'mixed'] },
      stars: { type: 'integer', minimum: 0, maximum: 5 },
      // Clashes with a field of groups, which are by `record_share`.
      share: { type: 'integer', minimum: 0, maximum: 100 },
      helpful: { type: 'boolean' },
      writtenAt: datetime,
    },
  }),
]

/** `mention` and `about` of a book are left out: any record may be at the other end. */
export const libraryReferences: Record<string, readonly string[]> = {
  [`${collections.publisher}#head`]: [collections.person],
  [`${collections.person}#employer`]: [collections.publisher],
  [`${collections.person}#mentor`]: [collections.person],
  [`${collections.book}#author`]: [collections.person],
  [`${collections.book}#series`]: [collections.book],
  [`${collections.book}#subject`]: [collections.person, collections.publisher],
  [`${collections.book}#archive`]: [],
  [`${collections.book}#imprint.house`]: [collections.publisher],
  [`${collections.book}#credits.person`]: [collections.person],
  [`${collections.book}#related`]: [collections.book],
  [`${collections.book}#sources`]: [collections.publisher],
  [`${collections.review}#book`]: [collections.book],
}

interface ObjectDefinition {
  readonly required?: readonly string[]
  readonly nullable?: readonly string[]
  readonly properties: Readonly<Record<string, unknown>>
}

function record(id: string, object: ObjectDefinition, defs: Readonly<Record<string, unknown>> = {}) {
  return {
    lexicon: 1,
    id,
    defs: { main: { type: 'record', key: 'any', record: { type: 'object', ...object } }, ...defs },
  }
}
