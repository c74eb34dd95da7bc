/**
 * The model: what the lexicons say, in the terms the GraphQL schema, the tables and the compiler share.
 * Plain data. It knows nothing of GraphQL's classes, of SQL, or of any one lexicon.
 */

import type { LexiconVersion } from '../../lexicon/lexicon-set.ts'

export interface Model {
  /** Record collections, by NSID in code point order. */
  readonly collections: readonly Collection[]
  /** The documents that all of this came from, by NSID in code point order. */
  readonly lexicons: readonly LexiconVersion[]
  /** What was renamed or gave way, one sentence each, for `check`. */
  readonly notes: readonly string[]
  /** Hash of the lexicons and reference targets this model came from. */
  readonly fingerprint: string
}

export interface Collection {
  readonly nsid: string
  /** `TechServiceNewsArticle` */
  readonly typeName: string
  /** `techServiceNewsArticle` */
  readonly rootField: string
  readonly type: ObjectType
  /** Every reference outside unions, also those inside objects and arrays, by path. */
  readonly references: readonly Reference[]
  /** The references of all collections that get a reverse field on this one. */
  readonly referredBy: readonly Reference[]
}

export interface ObjectType {
  readonly name: string
  /** Lexicon reference, `a.b.c` or `a.b.c#def`. */
  readonly origin: string
  readonly description: string
  /** In lexicon order. Filled after creation because object types may be circular. */
  readonly fields: readonly Field[]
}

export interface Field {
  /** GraphQL name; the lexicon's property name unless that is no GraphQL name or is reserved. */
  readonly name: string
  /** The key in the record's JSON. */
  readonly property: string
  readonly type: FieldType
  /** Whether an object may be without it, or have null there; no record is stored that breaks its lexicon. */
  readonly mayMiss: boolean
  /** The lexicon's own words, then what it requires, ranges and known values. */
  readonly description: string
  readonly constraints: Constraints
}

/** What a description says, part by part. */
export interface Constraints {
  /** The lexicon's own words. */
  readonly words: string
  readonly required: boolean
  /** Bounds of an integer; null where the lexicon names none. */
  readonly minimum: number | null
  readonly maximum: number | null
  /** Known values or those of an enum, of an array's elements too; empty where the lexicon names none. */
  readonly values: readonly string[]
}

export interface UnionType {
  readonly name: string
  readonly description: string
  readonly closed: boolean
  readonly members: readonly UnionMember[]
}

export interface UnionMember {
  /** What `$type` says: `a.b.c` or `a.b.c#def`. */
  readonly origin: string
  readonly type: ObjectType | 'strongRef'
}

export type FieldType =
  | StringType
  | { readonly kind: 'datetime' }
  | {
      readonly kind: 'integer' /** 32 when the lexicon bounds it so, otherwise ±(2^53-1). */
      readonly bits: 32 | 53
      /** How many values the lexicon allows; null where it does not bound them on both sides. */
      readonly values: number | null
    }
  | { readonly kind: 'boolean' }
  /** A string with format at-uri. */
  | { readonly kind: 'atUri' }
  /** `{uri, cid}` as com.atproto.repo.strongRef says. */
  | { readonly kind: 'strongRef' }
  | { readonly kind: 'bytes' }
  | { readonly kind: 'cidLink' }
  | { readonly kind: 'blob' }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'object'; readonly type: ObjectType }
  | { readonly kind: 'union'; readonly type: UnionType }
  | { readonly kind: 'array'; readonly of: FieldType }

export interface StringType {
  readonly kind: 'string'
  readonly format: string | null
  /** Free text (`maxGraphemes`, no format): gets a trigram index. */
  readonly freeText: boolean
  /** `maxLength` up to 5,000, a format, or known values: may be sorted by. */
  readonly bounded: boolean
  /** Known values, an enum, or a code: few distinct values are expected. */
  readonly categorical: boolean
  /** A language tag, or a code of up to six letters such as a country's. */
  readonly code: boolean
}

export interface Reference {
  /** NSID of the collection that holds it. */
  readonly collection: string
  /** Properties from the record down to the reference; arrays are passed through silently. */
  readonly path: readonly string[]
  readonly kind: 'strongRef' | 'atUri'
  /** Whether an array lies on the path, so that one record may hold many. */
  readonly many: boolean
  /** Declared target collections; null when `references.json` has no entry. */
  readonly targets: readonly string[] | null
  /** The one declared target, when there is exactly one and this model has it. */
  readonly target: string | null
  /** Reverse field and reverse filter: `techServiceNewsArticleViaSource`. */
  readonly viaField: string
}

/** Fields every record has, before the lexicon's own. All strings but the two instants and the JSON; only a handle may be missing. */
export const systemFields = [
  'uri',
  'cid',
  'did',
  'actorHandle',
  'rkey',
  'collection',
  'indexedAt',
  'changedAt',
  'recordJson',
] as const
export type SystemField = (typeof systemFields)[number]
