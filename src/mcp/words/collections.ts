/**
 * The collections as tools speak of them: short names, and which fields stand for a record where there is room for
 * little. All of it follows from the lexicons.
 */
import type { Collection, Field, Model } from '../../schema/model/model.ts'
import { nearest } from '../../util/text/nearest.ts'
import { ToolError } from '../tools/tool.ts'

/** A collection, and what stands out in it. */
export interface Subject {
  readonly collection: Collection
  /** The last part of the NSID where no other collection ends so; otherwise the NSID. */
  readonly label: string
  /** A name or headline; null where no text is one. */
  readonly display: Field | null
  /** The field that `since` and `until` speak of, and by which the newest is told. */
  readonly time: string
  /** Fields with the address of what the record describes. */
  readonly addresses: readonly Field[]
  /** Those in which text is looked for. */
  readonly texts: readonly Field[]
  /** Names of the fields that a short form has. */
  readonly brief: readonly string[]
}

export interface Catalogue {
  readonly model: Model
  readonly subjects: readonly Subject[]
  /** By label, NSID, type, root field or last part, plurals too; throws a ToolError that says what there is. */
  named(name: string): Subject
  of(nsid: string): Subject
}

const displayNames = ['displayname', 'title', 'name', 'headline']
/** More of them make a search too dear for one request. */
const mostTexts = 3

export function createCatalogue(model: Model): Catalogue {
  const subjects = model.collections.map((collection) => createSubject(collection, model))
  const byName = new Map<string, Subject>()
  for (const subject of subjects) {
    const { nsid, typeName, rootField } = subject.collection
    for (const name of [nsid, typeName, rootField, subject.label]) byName.set(name.toLowerCase(), subject)
  }
  return {
    model,
    subjects,
    named(name) {
      const folded = name.trim().toLowerCase()
      const found = byName.get(folded) ?? byName.get(folded.replace(/s$/, ''))
      if (found !== undefined) return found
      const near = nearest(folded, byName.keys())
      const instead = near === null ? null : byName.get(near)
      const labels = subjects.map(({ label }) => label)
      const listed = labels.length > 12 ? `${labels.slice(0, 12).join(', ')} and others` : labels.join(', ')
      throw new ToolError(
        `There is no collection "${name.slice(0, 80)}".${instead ? ` Did you mean "${instead.label}"?` : ''} There are: ${listed}.`,
      )
    },
    of(nsid) {
      const found = byName.get(nsid.toLowerCase())
      if (found === undefined) throw new Error(`${nsid} is no collection of the model.`)
      return found
    },
  }
}

function createSubject(collection: Collection, model: Model): Subject {
  const { fields } = collection.type
  const display = displayOf(fields)
  const time = fields.find(({ type }) => type.kind === 'datetime')?.name ?? 'indexedAt'
  const addresses = fields.filter(({ type }) => type.kind === 'string' && type.format === 'uri')
  const required = addresses.filter(({ constraints }) => constraints.required)
  const texts = fields.filter(({ type }) => type.kind === 'string' && type.freeText)
  const first = display !== null && texts.includes(display) ? [display] : []
  const codes = fields.filter(isTelling)
  const links = collection.references
    .filter(({ path, many, target }) => path.length === 1 && !many && target !== null)
    .flatMap(({ path }) => fields.filter(({ property }) => property === path[0]))
  const brief = [display, ...links, ...required, ...codes].flatMap((field) => field?.name ?? [])
  return {
    collection,
    label: labelOf(collection, model),
    display,
    time,
    addresses: [...required, ...addresses.filter((field) => !required.includes(field))],
    texts: [...first, ...texts.filter((field) => field !== display)].slice(0, mostTexts),
    brief: [...new Set([...brief.slice(0, 1), time, ...brief.slice(1)])],
  }
}

function labelOf({ nsid }: Collection, { collections }: Model): string {
  const last = lastPart(nsid)
  const others = collections.filter((other) => lastPart(other.nsid) === last)
  return others.length === 1 ? last : nsid
}

export function lastPart(nsid: string): string {
  return nsid.slice(nsid.lastIndexOf('.') + 1)
}

/** A field of that very name, or one whose name ends so, or the first free text. */
function displayOf(fields: readonly Field[]): Field | null {
  const texts = fields.filter(
    ({ type }) => type.kind === 'string' && type.format === null && !type.categorical,
  )
  for (const wanted of displayNames) {
    const exact = texts.find(({ name }) => name.toLowerCase() === wanted)
    if (exact !== undefined) return exact
  }
  for (const wanted of displayNames) {
    const ending = texts.find(({ name }) => name.toLowerCase().endsWith(wanted))
    if (ending !== undefined) return ending
  }
  return texts.find(({ type }) => type.kind === 'string' && type.freeText) ?? texts[0] ?? null
}

/** Few characters that say much: known values, codes, scores, yes or no. */
function isTelling(field: Field): boolean {
  const { type } = field
  return type.kind === 'string' ? type.categorical : type.kind === 'boolean' || isScore(field)
}

/** An integer between two bounds. */
export function isScore({ type }: Field): boolean {
  return type.kind === 'integer' && type.values !== null && type.values <= 1000
}
