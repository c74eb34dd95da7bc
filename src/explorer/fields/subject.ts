/** A collection with what its pages need: its fields, the fields that represent a record, and labels. */
import type { Collection, Model } from '../../schema/model/model.ts'
import { languages, type Language } from '../languages/language.ts'
import {
  type CollectionDisplay,
  type Display,
  type FieldDisplay,
  noDisplay,
  plainDisplay,
} from './display.ts'
import { guessPageRoles, type PageRoles } from './guesses.ts'
import { type Labels, labelIn, labelOf, noValueLabels, subjectLabel } from './labels.ts'
import { type ShownField, shownFields } from './shown-field.ts'

export interface Subject {
  readonly collection: Collection
  readonly fields: ReadonlyMap<string, ShownField>
  /** Fields of the record itself, by their properties joined by line breaks. */
  readonly ownFields: ReadonlyMap<string, ShownField>
  readonly roles: PageRoles
  readonly display: CollectionDisplay
}

export interface Subjects {
  readonly model: Model
  readonly all: readonly Subject[]
  /** By NSID; null if no such collection is served. */
  readonly of: (nsid: string) => Subject | null
}

/** What `display` does not say is guessed. */
export function createSubjects(model: Model, display: Display = noDisplay): Subjects {
  const plain = model.collections.map((collection): Subject => {
    const own = display.get(collection.nsid) ?? plainDisplay
    const fields = withSystemLabels(shownFields(collection, model))
    const isShown = (name: string): boolean => !own.hidden.has(name)
    const shown = new Map([...fields].filter(([name]) => isShown(name)))
    const guessed = guessPageRoles(collection, shown, own.hidden)
    return { collection, fields, ownFields: new Map(), roles: { ...guessed, ...own.roles }, display: own }
  })
  const byType = new Map(plain.map((subject) => [subject.collection.typeName, subject]))
  const titles = new Map(plain.map(({ collection, roles }) => [collection.nsid, roles.title]))
  const all = plain.map((subject) => {
    const { fields } = display.size === 0 ? subject : withDisplay(subject, byType)
    const titled = withTitles(fields, titles)
    return { ...subject, fields: titled, ownFields: ownFieldsOf(titled) }
  })
  const byName = new Map(all.map((subject) => [subject.collection.nsid, subject]))
  return { model, all, of: (nsid) => byName.get(nsid) ?? null }
}

/** Fields that every record has are named in the languages of the interface. */
function withSystemLabels(fields: ReadonlyMap<string, ShownField>): ReadonlyMap<string, ShownField> {
  return new Map(
    [...fields].map(([name, field]) => {
      const isSystem = field.isOwn && field.properties.length === 0
      return [name, isSystem ? { ...field, labels: systemLabels(field.steps.at(-1)?.name ?? '') } : field]
    }),
  )
}

function systemLabels(name: string): Labels {
  const labels = languages.flatMap(({ tag, text }) => {
    const label = { did: text.record.account, uri: text.record.uri, indexedAt: text.indexedAt }[name]
    return label === undefined ? [] : [[tag, label]]
  })
  return Object.fromEntries(labels)
}

function ownFieldsOf(fields: ReadonlyMap<string, ShownField>): ReadonlyMap<string, ShownField> {
  const own = [...fields.values()].filter(({ isOwn, properties }) => isOwn && properties.length > 0)
  // A property may have several fields. The first wins: a field that can be grouped by.
  return new Map(own.toReversed().map((field) => [field.properties.join('\n'), field]))
}

function withTitles(
  fields: ReadonlyMap<string, ShownField>,
  titles: ReadonlyMap<string, string | null>,
): ReadonlyMap<string, ShownField> {
  return new Map(
    [...fields].map(([name, field]) => {
      const targetTitle = field.target === null ? null : (titles.get(field.target.nsid) ?? null)
      return [name, { ...field, targetTitle }]
    }),
  )
}

function withDisplay(subject: Subject, byType: ReadonlyMap<string, Subject>): Subject {
  const { display } = subject
  const fields = [...subject.fields.values()].map((field): ShownField => {
    const own = display.fields.get(field.name)
    const labels = Object.fromEntries(
      languages.flatMap((language) => {
        const label =
          labelIn(own?.label ?? {}, language) ??
          joinedLabel(field, subject, byType, language) ??
          labelIn(field.labels, language)
        return label === null ? [] : [[language.tag, label]]
      }),
    )
    return {
      ...field,
      labels,
      valueLabels: displayOf(field, subject, byType)?.values ?? noValueLabels,
      scale: own?.scale ?? null,
      isHidden: display.hidden.has(field.name),
    }
  })
  return { ...subject, fields: new Map(fields.map((field) => [field.name, field])) }
}

/** What `display.json` says of the field in the collection whose records have it. */
function displayOf(
  { steps }: ShownField,
  from: Subject,
  byType: ReadonlyMap<string, Subject>,
): FieldDisplay | undefined {
  let { display } = from
  let path: string[] = []
  for (const { name, record } of steps) {
    const next = record === null ? undefined : byType.get(record)
    if (next !== undefined) display = next.display
    path = next === undefined ? [...path, name] : []
  }
  return display.fields.get(path.join('_'))
}

/** `Outlet · Country` of the country of an article's outlet; null if `display.json` has a label for no part of it. */
function joinedLabel(
  { steps }: ShownField,
  from: Subject,
  byType: ReadonlyMap<string, Subject>,
  language: Language,
): string | null {
  const parts: { readonly label: string; readonly isGiven: boolean }[] = []
  let at = from
  let path: string[] = []
  for (const { name, some, record } of steps) {
    path.push(name)
    const next = record === null ? undefined : byType.get(record)
    if (next === undefined) continue
    const given = some ? labelIn(next.display.label, language) : labelOfMember(at.display, path, language)
    parts.push({
      label: given ?? (some ? subjectLabel(next, language) : labelOf(path)),
      isGiven: given !== null,
    })
    at = next
    path = []
  }
  if (path.length > 0) {
    const given = labelOfMember(at.display, path, language)
    const plain = labelIn(systemLabels(path.join('_')), language) ?? labelOf(path)
    parts.push({ label: given ?? plain, isGiven: given !== null })
  }
  return parts.some(({ isGiven }) => isGiven) ? parts.map(({ label }) => label).join(' · ') : null
}

/** The label of a member within its object, by the names of the fields that lead to it from the record. */
export function memberLabel(
  { display }: Pick<Subject, 'display'>,
  path: readonly string[],
  language: Pick<Language, 'tag'>,
): string {
  return labelIn(display.fields.get(path.join('_'))?.label ?? {}, language) ?? labelOf(path.slice(-1))
}

/** Null if `display.json` has a label for no part of it. */
function labelOfMember(
  display: CollectionDisplay,
  path: readonly string[],
  language: Pick<Language, 'tag'>,
): string | null {
  const own = labelIn(display.fields.get(path.join('_'))?.label ?? {}, language)
  if (own !== null || path.length < 2) return own
  const outer = labelOfMember(display, path.slice(0, -1), language)
  return outer === null ? null : `${outer} · ${labelOf(path.slice(-1))}`
}
