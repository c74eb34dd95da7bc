/**
 * What a set of lexicons is chiefly about, so that the guide and the prompts speak in its own names: the records
 * that most refer and are referred to (articles), where they come from (outlets), and what is said about them
 * (analyses). With the lexicons of something else these are other things, or nothing.
 */
import type { Collection, Field, Model, Reference } from '../../schema/model/model.ts'
import { holderOf, targetOf } from '../../schema/model/operators.ts'
import { type Catalogue, createCatalogue, isScore, lastPart } from './collections.ts'

export interface CorpusOutline {
  readonly items: Party
  /** What the records come from; null where they refer to nothing. */
  readonly origin: Party | null
  /** What is said about them; null where nothing is. */
  readonly analysis: Party | null
}

/** A collection and its fields that are worth asking for. */
export interface Party {
  readonly nsid: string
  /** What tools call it: the last segment where it is unique, otherwise the whole. */
  readonly name: string
  /** As it stands in a sentence: `politicalOrientation` gives `political orientation`. */
  readonly words: string
  /** The reference between it and the items, a property of whichever refers; null for the items. */
  readonly reference: string | null
  /** What shows which record it is; null where no text does. */
  readonly title: string | null
  /** What the newest is told by. */
  readonly time: string
  /** Fields with known values. */
  readonly categories: readonly string[]
  /** Fields with codes, such as those of languages. */
  readonly codes: readonly string[]
  /** Integers between two bounds. */
  readonly scores: readonly string[]
}

/** Null for lexicons without collections. */
export function outlineCorpus(model: Model): CorpusOutline | null {
  const catalogue = createCatalogue(model)
  const [items] = model.collections.toSorted((one, other) => ties(other) - ties(one))
  if (items === undefined) return null
  const outward = items.references.find((reference) => isElsewhere(items, reference) && !reference.many)
  const origin = targetOf(outward ?? null, model)
  const inward = items.referredBy
    .filter((reference) => reference.collection !== items.nsid && !reference.many)
    .map((reference) => party(catalogue, holderOf(reference, model), reference))
    .toSorted((one, other) => worth(other) - worth(one))
  return {
    items: party(catalogue, items, null),
    origin: outward === undefined || origin === null ? null : party(catalogue, origin, outward),
    analysis: inward[0] ?? null,
  }
}

/** `politicalOrientation` as `political orientation`. */
export function asWords(name: string): string {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/[_-]+/g, ' ')
    .toLowerCase()
}

/** References to and from other collections. */
function ties(collection: Collection): number {
  const outward = collection.references.filter((reference) => isElsewhere(collection, reference))
  const inward = collection.referredBy.filter((reference) => reference.collection !== collection.nsid)
  return outward.length + inward.length
}

function isElsewhere({ nsid }: Collection, reference: Reference): boolean {
  return reference.target !== null && reference.target !== nsid
}

/** Something can be counted or averaged by it. */
function worth({ categories, scores }: Party): number {
  return categories.length + scores.length
}

function party(catalogue: Catalogue, { nsid, type }: Collection, reference: Reference | null): Party {
  const { label, display, time } = catalogue.of(nsid)
  return {
    nsid,
    name: label,
    words: asWords(lastPart(nsid)),
    reference: reference === null ? null : reference.path.join('.'),
    title: display?.name ?? null,
    time,
    categories: type.fields.filter(isCategory).map(({ name }) => name),
    codes: type.fields.filter(isCode).map(({ name }) => name),
    scores: type.fields.filter(isScore).map(({ name }) => name),
  }
}

function isCategory({ type }: Field): boolean {
  return type.kind === 'string' && type.categorical && !type.code
}

function isCode({ type }: Field): boolean {
  return type.kind === 'string' && type.code
}
