/**
 * What a set of lexicons is chiefly about, so that the guide and the prompts speak in its own names: the records
 * that most refer and are referred to (articles), where they come from (outlets), and what is said about them
 * (analyses). With the lexicons of something else these are other things, or nothing.
 */
import type { Collection, Field, Model, Reference } from '../schema/model.ts'

export interface Subject {
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
  /** The first free text, which shows what record it is; null where there is none. */
  readonly title: string | null
  /** The first that says when; `indexedAt` where the lexicon has none. */
  readonly time: string
  /** Fields with known values. */
  readonly categories: readonly string[]
  /** Fields with codes, such as those of languages. */
  readonly codes: readonly string[]
  /** Integers between two bounds. */
  readonly scores: readonly string[]
}

/** Null for lexicons without collections. */
export function findSubject(model: Model): Subject | null {
  const [items] = model.collections.toSorted((one, other) => ties(other) - ties(one))
  if (items === undefined) return null
  const outward = items.references.find((reference) => isElsewhere(items, reference) && !reference.many)
  const origin = outward === undefined ? undefined : target(model, outward)
  const inward = items.referredBy
    .filter((reference) => reference.collection !== items.nsid && !reference.many)
    .flatMap((reference) => {
      const collection = holder(model, reference)
      return collection === undefined ? [] : [party(model, collection, reference)]
    })
    .toSorted((one, other) => worth(other) - worth(one))
  return {
    items: party(model, items, null),
    origin: outward === undefined || origin === undefined ? null : party(model, origin, outward),
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

function party(model: Model, { nsid, type }: Collection, reference: Reference | null): Party {
  const last = nsid.slice(nsid.lastIndexOf('.') + 1)
  const alike = model.collections.filter((other) => other.nsid.endsWith(`.${last}`))
  const times = type.fields.filter((field) => field.type.kind === 'datetime').map(({ name }) => name)
  return {
    nsid,
    name: alike.length === 1 ? last : nsid,
    words: asWords(last),
    reference: reference === null ? null : reference.path.join('.'),
    title: type.fields.find(isFreeText)?.name ?? null,
    time: times.find((name) => !/^(created|updated)At$/.test(name)) ?? times[0] ?? 'indexedAt',
    categories: type.fields.filter(isCategory).map(({ name }) => name),
    codes: type.fields.filter(isCode).map(({ name }) => name),
    scores: type.fields.filter(isScore).map(({ name }) => name),
  }
}

function target(model: Model, { target: nsid }: Reference): Collection | undefined {
  return model.collections.find((collection) => collection.nsid === nsid)
}

function holder(model: Model, { collection: nsid }: Reference): Collection | undefined {
  return model.collections.find((collection) => collection.nsid === nsid)
}

function isFreeText({ type }: Field): boolean {
  return type.kind === 'string' && type.freeText
}

function isCategory({ type }: Field): boolean {
  return type.kind === 'string' && type.categorical && !type.code
}

function isCode({ type }: Field): boolean {
  return type.kind === 'string' && type.code
}

function isScore({ type }: Field): boolean {
  return type.kind === 'integer' && type.values !== null && type.values <= 1_000
}
