/** The content of the lexicons as plain data. It must not know GraphQL's classes, SQL, or any particular lexicon. */
import type { LexiconVersion } from '../../lexicon/lexicons.ts'
import type { StoryFields } from '../../lexicon/stories.ts'
import type { StringFormat } from './string-formats.ts'

export interface Model {
  /** Record collections, by NSID in code point order. */
  readonly collections: readonly Collection[]
  /** The documents that the model was built from, by NSID in code point order. */
  readonly lexicons: readonly LexiconVersion[]
  /** Renamed properties and omitted generated fields, one sentence each, for `check`. */
  readonly notes: readonly string[]
  /** Hash of the lexicons, reference targets and stories that the model was built from. */
  readonly fingerprint: string
}

export interface Collection {
  readonly nsid: string
  /** `TechServiceNewsArticle` */
  readonly typeName: string
  /** `techServiceNewsArticle` */
  readonly rootField: string
  readonly type: ObjectType
  /** The free texts outside arrays and unions, which searches find. */
  readonly searchFields: readonly SearchField[]
  /** Every reference outside unions, including references inside objects and arrays. */
  readonly references: readonly Reference[]
  /** The references of all collections that get a reverse field on this one. */
  readonly referredBy: readonly Reference[]
  /** How its records are grouped into stories; null if they are not. */
  readonly stories: StoryGrouping | null
}

export interface StoryGrouping extends StoryFields {
  /** The name of the reference to the first record of a record's story, which no property of records has. */
  readonly field: string
}

export interface SearchField {
  /** The names of the fields that lead to it, joined by underscores. */
  readonly name: string
  /** Properties from the record down to the text. */
  readonly path: readonly string[]
  /** Whether it may have more than 5,000 bytes. */
  readonly isLong: boolean
}

export interface ObjectType {
  readonly name: string
  /** Lexicon reference, `a.b.c` or `a.b.c#def`. */
  readonly origin: string
  readonly description: string
  /** In lexicon order; filled after creation because object types may be circular. */
  readonly fields: readonly Field[]
}

export interface Field {
  /** The lexicon's property name, or a changed one if that is not a GraphQL name, is reserved or is a duplicate. */
  readonly name: string
  /** The key in the record's JSON, which has none for a story. */
  readonly property: string
  readonly type: FieldType
  /** True if the property is optional or nullable. Only records that satisfy their lexicon are stored. */
  readonly mayMiss: boolean
  /** The lexicon's description, then its requirements, ranges and known values. */
  readonly description: string
  readonly constraints: Constraints
}

/** The parts of a field's description. */
export interface Constraints {
  /** The lexicon's description. */
  readonly words: string
  readonly required: boolean
  /** Bounds of an integer; null where the lexicon sets none. */
  readonly minimum: number | null
  readonly maximum: number | null
  /** Known values or enum values of the field, or of an array's elements; empty where the lexicon lists none. */
  readonly values: readonly string[]
}

export interface UnionType {
  readonly name: string
  readonly description: string
  readonly closed: boolean
  readonly members: readonly UnionMember[]
}

export interface UnionMember {
  /** The value of `$type`: `a.b.c` or `a.b.c#def`. */
  readonly origin: string
  readonly type: ObjectType | 'strongRef'
}

export type FieldType =
  | StringType
  | {
      readonly kind: 'integer'
      /** 32 if the lexicon's bounds fit 32 bits; otherwise 53, for ±(2^53-1). */
      readonly bits: 32 | 53
      /** Number of values that the lexicon allows; null unless it sets both bounds. */
      readonly values: number | null
    }
  | { readonly kind: 'datetime' | 'boolean' | 'bytes' | 'cidLink' | 'blob' | 'unknown' }
  /** `atUri`: a string with format at-uri. `strongRef`: `{uri, cid}`, as com.atproto.repo.strongRef defines it. */
  | { readonly kind: 'atUri' | 'strongRef' }
  | { readonly kind: 'object'; readonly type: ObjectType }
  | { readonly kind: 'union'; readonly type: UnionType }
  | { readonly kind: 'array'; readonly of: FieldType }

export interface StringType {
  readonly kind: 'string'
  readonly format: string | null
  readonly use: StringFormat
  /** Free text (`maxGraphemes`, no format, no listed values): gets a trigram index. */
  readonly freeText: boolean
  /** `maxLength` up to 5,000, a format, or listed values: may be a sort field. */
  readonly bounded: boolean
  /** Known values, an enum, a constant, or a code: few distinct values are expected. */
  readonly categorical: boolean
  /** A language tag, or a text of `maxLength` up to 6, such as a country code. */
  readonly code: boolean
  /** A number of degrees, whose order is not that of the text. */
  readonly isCoordinate?: boolean
}

export interface Reference {
  /** NSID of the collection whose records hold the reference. */
  readonly collection: string
  /** Properties from the record down to the reference; arrays add no segment. */
  readonly path: readonly string[]
  readonly kind: 'strongRef' | 'atUri'
  /** True if an array lies on the path, so that one record may hold many references. */
  readonly many: boolean
  /** Declared target collections; null when `references.json` has no entry. */
  readonly targets: readonly string[] | null
  /** The declared target, if there is exactly one and the model contains it; otherwise null. */
  readonly target: string | null
  /** Name of the reverse field and the reverse filter: `techServiceNewsArticleViaSource`. */
  readonly viaField: string
}

/** Fields before the lexicon's on every record: strings, two instants and one JSON. Only revision and handle may be missing. */
export const systemFields = [
  'uri',
  'cid',
  'rev',
  'did',
  'actorHandle',
  'rkey',
  'collection',
  'indexedAt',
  'changedAt',
  'recordJson',
] as const
export type SystemField = (typeof systemFields)[number]
