/**
 * Finds the main collections of a set of lexicons, so that the guide and the prompts can use their names: the items,
 * which have the most references from and to other collections (articles), their origin (outlets), and their analysis.
 * Other lexicons give other collections, or none.
 */
import type { Collection, Field, Model, Reference } from '../../schema/model/model.ts'
import { holderOf, targetOf } from '../../schema/model/operators.ts'
import { type Catalogue, createCatalogue, isScore, lastPart } from './collections.ts'

export interface CorpusOutline {
  readonly items: Party
  /** The collection that the items refer to; null if there is none. */
  readonly origin: Party | null
  /** The collection that describes the items and refers to them; null if there is none. */
  readonly analysis: Party | null
}

/** A collection and its most useful fields. */
export interface Party {
  readonly nsid: string
  /** The collection's label in tools: the last segment of the NSID if it is unique, otherwise the NSID. */
  readonly name: string
  /** The name in sentences: `politicalOrientation` gives `political orientation`. */
  readonly words: string
  /** The reference between this collection and the items, a path in the referring collection; null for the items. */
  readonly reference: string | null
  /** The field that names a record; null if no field is suitable. */
  readonly title: string | null
  /** The field that decides which record is the newest. */
  readonly time: string
  /** Fields with known values. */
  readonly categories: readonly string[]
  /** Fields with codes, such as language codes. */
  readonly codes: readonly string[]
  /** Integers with two bounds. */
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

/** Number of fields to count by or to average. */
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
