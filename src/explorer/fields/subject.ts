/** A collection with what its pages need: its fields, the fields that represent a record, and labels. */
import { type AskField, fieldsOf, isCountField } from '../../ask/fields.ts'
import type { Collection, Model } from '../../schema/model/model.ts'
import { groupFields } from '../../schema/model/operators.ts'
import { languages, type Language } from '../languages/language.ts'
import { guessPageRoles, type PageRoles } from './guesses.ts'
import type { Counts, Labels, Scale, Tagged, ValueLabels } from './labels.ts'
import { labelIn, labelOf, noValueLabels, subjectLabel } from './labels.ts'
import type { ShownField } from './shown-field.ts'

/** What `display.json` says of a field. */
export interface FieldDisplay {
  readonly label: Labels
  readonly scale: Scale | null
  readonly values: ValueLabels
}

export interface FieldGroup {
  readonly label: Labels
  /** Names of members of the record. */
  readonly fields: readonly string[]
}

/** What it says of a collection, and what pages show where it says nothing. */
export interface CollectionDisplay {
  readonly label: Labels
  readonly singular: Labels
  readonly count: Counts
  readonly description: Labels
  /** Where they are given, instead of the guesses. */
  readonly roles: Partial<PageRoles>
  /** Names of fields that pages do not show by themselves; filters may still name them. */
  readonly hidden: ReadonlySet<string>
  readonly groups: readonly FieldGroup[]
  /** By the name of a member. */
  readonly fields: ReadonlyMap<string, FieldDisplay>
}

/** By NSID. */
export type Display = ReadonlyMap<string, CollectionDisplay>

/** Without an entry in `display.json`. */
const plainDisplay: CollectionDisplay = {
  label: {},
  singular: {},
  count: {},
  description: {},
  roles: {},
  hidden: new Set(),
  groups: [],
  fields: new Map(),
}

export interface PageSubject {
  readonly collection: Collection
  readonly fields: ReadonlyMap<string, ShownField>
  /** Fields of the record itself, by their properties joined by line breaks. */
  readonly ownFields: ReadonlyMap<string, ShownField>
  readonly roles: PageRoles
  readonly display: CollectionDisplay
  /** What `groupBy` takes: fields, and periods and parts of times. */
  readonly groupable: ReadonlySet<string>
}

export interface Subjects {
  readonly all: readonly PageSubject[]
  /** By NSID; null if no such collection is served. */
  readonly of: (nsid: string) => PageSubject | null
}

/** A collection before its fields have labels. */
interface Unlabelled extends Pick<PageSubject, 'collection' | 'roles' | 'display'> {
  readonly asked: ReadonlyMap<string, AskField>
}

type UnlabelledSubjects = ReadonlyMap<Collection, Unlabelled>

/** What `display` does not say is guessed. */
export function createSubjects(model: Model, display: Display = new Map()): Subjects {
  const unlabelled = new Map(
    model.collections.map((collection): [Collection, Unlabelled] => {
      const own = display.get(collection.nsid) ?? plainDisplay
      const asked = fieldsOf(collection, model)
      const shown = new Map([...asked].filter(([, field]) => !isHidden(field, own)))
      const roles = { ...guessPageRoles(collection, shown, own.hidden), ...own.roles }
      return [collection, { collection, asked, roles, display: own }]
    }),
  )
  const all = Array.from(unlabelled.values(), (subject): PageSubject => {
    const { asked, ...others } = subject
    const fields = [...asked.values()]
      .filter((field) => !isMinorTime(field, unlabelled))
      .map((field) => shownField(field, subject, unlabelled))
    const own = fields.filter(({ isOwn, properties }) => isOwn && properties.length > 0)
    return {
      ...others,
      fields: new Map(fields.map((field) => [field.name, field])),
      groupable: new Set(groupFields(subject.collection, model).map(({ name }) => name)),
      // A property may have several fields. The first wins: a field that can be grouped by.
      ownFields: new Map(own.toReversed().map((field) => [field.properties.join('\n'), field])),
    }
  })
  const byName = new Map(all.map((subject) => [subject.collection.nsid, subject]))
  return { all, of: (nsid) => byName.get(nsid) ?? null }
}

/** Of records behind a reference pages offer one time, and of those behind two none: each has eight periods and parts. */
function isMinorTime({ type, steps }: AskField, unlabelled: UnlabelledSubjects): boolean {
  const references = steps.filter(({ kind }) => kind === 'reference')
  const [first] = references
  if (type.kind !== 'datetime' || first?.record == null) return false
  const own = steps.slice(steps.indexOf(first) + 1).map(({ name }) => name)
  return references.length > 1 || own.join('_') !== unlabelled.get(first.record)?.roles.time
}

function shownField(field: AskField, from: Unlabelled, unlabelled: UnlabelledSubjects): ShownField {
  const { display } = from
  const own = display.fields.get(field.name)
  const parts = partsOf(field, from, unlabelled)
  const last = parts.at(-1)
  const member = last?.next === undefined ? last?.at.display.fields.get(last.path.join('_')) : undefined
  // Fields that every record has are named in the languages of the interface.
  const isSystem = field.isOwn && field.properties.length === 0
  const plain = isSystem ? systemLabels(field.words.at(-1) ?? '') : {}
  const [first] = parts
  const counted = isCountField(field) ? first?.next : undefined
  const labels = languages.flatMap((language) => {
    const number =
      counted && language.text.filtering.numberOf(referringLabel(counted, first?.name ?? '', from, language))
    const label =
      labelIn(own?.label ?? {}, language) ??
      number ??
      joinedLabel(parts, language) ??
      labelIn(plain, language)
    return label === null ? [] : [[language.tag, label]]
  })
  return {
    ...field,
    labels: Object.fromEntries(labels),
    /** As the collection whose records have it says. */
    valueLabels: member?.values ?? noValueLabels,
    isHidden: isHidden(field, display),
    targetTitle: field.target === null ? null : (unlabelled.get(field.target)?.roles.title ?? null),
  }
}

function isHidden({ name, plainName }: AskField, { hidden }: CollectionDisplay): boolean {
  return hidden.has(name) || hidden.has(plainName)
}

function systemLabels(name: string): Labels {
  const labels = languages.flatMap(({ tag, text }) => {
    const label = { did: text.record.account, uri: text.record.uri, indexedAt: text.indexedAt }[name]
    return label === undefined ? [] : [[tag, label]]
  })
  return Object.fromEntries(labels)
}

/** The names that lead to the field, cut where they come to other records, which are those of `next`. */
function partsOf({ steps }: AskField, from: Unlabelled, unlabelled: UnlabelledSubjects) {
  let at = from
  let path: string[] = []
  return steps.flatMap(({ name, some, record }, index) => {
    path.push(name)
    const next = record === null ? undefined : unlabelled.get(record)
    if (next === undefined && index < steps.length - 1) return []
    const part = { at, path, name, some, next }
    at = next ?? at
    path = []
    return [part]
  })
}

/** `Outlet · Country` of the country of an article's outlet; null if `display.json` has a label for no part of it. */
function joinedLabel(steps: ReturnType<typeof partsOf>, language: Language): string | null {
  const parts = steps.map(({ at, path, name, some, next }) => {
    const isReverse = some && next !== undefined
    const own = isReverse ? labelIn(next.display.label, language) : labelOfMember(at.display, path, language)
    const system = next === undefined ? labelIn(systemLabels(path.join('_')), language) : null
    const label = isReverse ? referringLabel(next, name, at, language) : (own ?? system ?? labelOf(path))
    return { label, isGiven: own !== null }
  })
  return parts.some(({ isGiven }) => isGiven) ? parts.map(({ label }) => label).join(' · ') : null
}

/** `Articles`; `Articles (Story)` where their records refer by several fields. `name`: of the reverse field. */
export function referringLabel(
  holder: Pick<PageSubject, 'collection' | 'display'>,
  name: string,
  { collection }: Pick<PageSubject, 'collection'>,
  language: Tagged,
): string {
  const label = subjectLabel(holder, language)
  const all = collection.referredBy.filter((each) => each.collection === holder.collection.nsid)
  const path = all.find(({ viaField }) => viaField === name)?.path ?? []
  return all.length === 1 ? label : `${label} (${memberLabel(holder, path, language)})`
}

/** The label of a member within its object, by the names of the fields that lead to it from the record. */
export function memberLabel(
  { display }: Pick<PageSubject, 'display'>,
  path: readonly string[],
  language: Tagged,
): string {
  return labelIn(display.fields.get(path.join('_'))?.label ?? {}, language) ?? labelOf(path.slice(-1))
}

/** Null if `display.json` has a label for no part of it. */
function labelOfMember(display: CollectionDisplay, path: readonly string[], language: Tagged): string | null {
  const own = labelIn(display.fields.get(path.join('_'))?.label ?? {}, language)
  if (own !== null || path.length < 2) return own
  const outer = labelOfMember(display, path.slice(0, -1), language)
  return outer === null ? null : `${outer} · ${labelOf(path.slice(-1))}`
}
