/** The collections for tools, as the lexicons say: their short names, and fields that stand for a record. */
import { lastPart } from '../schema/model/naming.ts'
import type { Collection, Field, Model } from '../schema/model/model.ts'
import { type GivenRoles, guessRoles } from '../schema/model/roles.ts'
import { isUrl } from '../schema/model/where-operators.ts'
import { nearest } from '../util/text/nearest.ts'
import { AskError, didYouMean } from './ask-error.ts'

/** A collection and its most important fields. */
export type Subject = ReturnType<typeof createSubject>

export type Catalogue = ReturnType<typeof createCatalogue>

/** With more fields, a search would cost too much for one request. */
const mostTexts = 3
/** With more, a lookup of a name would cost too much. */
const mostAddresses = 2
const mostCounted = 3
const domainNames = ['domain', 'hostname', 'host']
const handleNames = ['handle', 'username']
/** Names of fields with the address of something else, such as a picture. */
const otherAddresses = /logo|image|avatar|icon|banner|cover|thumb|picture|feed|rater|licen[cs]e|terms/i

/** `given`: what `display.json` says. */
export function createCatalogue(model: Model, given: GivenRoles = new Map()) {
  const subjects = model.collections.map((collection) => createSubject(collection, model, given))
  const byName = new Map<string, Subject>()
  for (const subject of subjects) {
    const { nsid, typeName, rootField } = subject.collection
    for (const name of [nsid, typeName, rootField, subject.label]) byName.set(name.toLowerCase(), subject)
  }
  const targets = new Set(
    model.collections.flatMap(({ references }) => references.map(({ target }) => target)),
  )
  const referred = subjects.filter(({ collection }) => targets.has(collection.nsid))
  return {
    model,
    subjects,
    /** The collections that references lead to; all collections if there are no references. */
    referred: referred.length > 0 ? referred : subjects,
    /** By label, NSID, type name or root field, also in the plural; throws an AskError that lists the collections. */
    named(name: string): Subject {
      const folded = name.trim().toLowerCase()
      const found = byName.get(folded) ?? byName.get(folded.replace(/s$/, ''))
      if (found !== undefined) return found
      const near = nearest(folded, byName.keys())
      const instead = near === null ? null : byName.get(near)
      const labels = subjects.map(({ label }) => label)
      const listed = labels.length > 12 ? `${labels.slice(0, 12).join(', ')} and others` : labels.join(', ')
      throw new AskError(
        `There is no collection "${name.slice(0, 80)}".${didYouMean(instead?.label ?? null)} There are: ${listed}.`,
      )
    },
    of(nsid: string): Subject {
      const found = byName.get(nsid.toLowerCase())
      if (found === undefined) throw new Error(`${nsid} is not a collection of the model.`)
      return found
    },
  }
}

function createSubject(collection: Collection, model: Model, given: GivenRoles) {
  const { fields } = collection.type
  const guessed = guessRoles(collection)
  const named = given.get(collection.nsid) ?? {}
  const own = (name: string | null | undefined) => fields.find((field) => field.name === name)
  // Tools show fields of the record itself, not those of its objects.
  const display = named.title === null ? null : (own(named.title) ?? own(guessed.title) ?? null)
  const time = named.time === 'indexedAt' ? named.time : (own(named.time)?.name ?? guessed.time)
  const link = own(named.link) ?? own(guessed.link)
  const uris = fields.filter(({ type }) => isUrl(type))
  const domains = fields.filter((field) => isIdentifier(field, domainNames, null)).slice(0, 1)
  const handles = fields.filter((field) => isIdentifier(field, handleNames, 'handle')).slice(0, 1)
  const required = uris.filter(({ constraints }) => constraints.required)
  const addresses = [...new Set([...(link === undefined ? [] : [link]), ...required, ...uris])]
    .filter(({ name }) => !otherAddresses.test(name))
    .slice(0, mostAddresses)
  const codes = fields.filter(({ type }) => type.kind === 'string' && type.code)
  const others = [...codes, ...fields.filter(({ name }) => name === time)]
  const texts = fields.filter(({ type }) => type.kind === 'string' && type.freeText)
  const first = texts.filter((field) => field === display)
  const links = collection.references
    .filter(({ path, many, target }) => path.length === 1 && !many && target !== null)
    .flatMap(({ path }) => fields.filter(({ property }) => property === path[0]))
    // Most stories are the record itself.
    .filter(({ name }) => name !== collection.stories?.field)
  const brief = [display, ...links, ...required, ...fields.filter(isTelling)].flatMap(
    (field) => field?.name ?? [],
  )
  return {
    collection,
    model,
    /** The last part of the NSID if it is unique; otherwise the NSID. */
    label: labelOf(collection, model),
    /** A name or headline; null if no field is suitable. */
    display,
    /** Whether it is a name, such as `displayName`, and not a title or another text. */
    isNamed: display !== null && /name$/i.test(display.name),
    /** The field that `since` and `until` apply to, and that decides which record is the newest. */
    time,
    /** Fields with the web address of the subject of the record, required ones first. */
    addresses,
    /** Fields with a domain or a handle, which identify a record as its name does. */
    domains,
    handles,
    /** The field that tells records with equal names apart; null if no field is suitable. */
    apart: [...domains, ...handles, ...addresses, ...others].find((field) => field !== display) ?? null,
    /** The references to records of this collection alone; the records that refer are counted. */
    counted: collection.referredBy.filter(({ target }) => target === collection.nsid).slice(0, mostCounted),
    /** Fields that a text search covers. */
    texts: [...new Set([...first, ...texts])].slice(0, mostTexts),
    /** Names of the fields in the short form of a record. */
    brief: [...new Set([...brief.slice(0, 1), time, ...brief.slice(1)])],
  }
}

function labelOf({ nsid }: Collection, { collections }: Model): string {
  const last = lastPart(nsid)
  const others = collections.filter((other) => lastPart(other.nsid) === last)
  return others.length === 1 ? last : nsid
}

/** A string of that format, or one without format and listed values whose name is, or ends with, one of the names. */
function isIdentifier({ name, type }: Field, names: readonly string[], format: string | null): boolean {
  if (type.kind !== 'string') return false
  if (format !== null && type.format === format) return true
  if (type.format !== null || type.freeText || type.categorical) return false
  return names.some((wanted) => name.toLowerCase().endsWith(wanted))
}

/** True for fields that say much in few characters: known values, codes, scores, booleans. */
function isTelling(field: Field): boolean {
  return isCategorical(field) || field.type.kind === 'boolean' || isScore(field)
}

/** True for fields with few distinct values, which are cheap to count. */
export function isCategorical({ type }: Field): boolean {
  return type.kind === 'string' && type.categorical
}

/** True for integers with two bounds and at most 1,000 values. */
export function isScore({ type }: Field): boolean {
  return type.kind === 'integer' && type.values !== null && type.values <= 1000
}
