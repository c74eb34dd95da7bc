/** A collection with what its pages need: its fields, the fields that represent a record, and labels. */
import type { Collection, Model } from '../../schema/model/model.ts'
import { guessRoles, type Roles } from './guesses.ts'
import { lastPart, type ShownField, shownFields } from './shown-field.ts'

export interface Subject {
  readonly collection: Collection
  readonly fields: ReadonlyMap<string, ShownField>
  readonly roles: Roles
}

export interface Subjects {
  readonly model: Model
  readonly all: readonly Subject[]
  /** By NSID; null if no such collection is served. */
  readonly of: (nsid: string) => Subject | null
}

export function createSubjects(model: Model): Subjects {
  const described = model.collections.map((collection): Subject => {
    const fields = shownFields(collection, model)
    return { collection, fields, roles: guessRoles(fields) }
  })
  const titles = new Map(described.map(({ collection, roles }) => [collection.nsid, roles.title]))
  const all = described.map((subject) => ({ ...subject, fields: withTitles(subject.fields, titles) }))
  const byName = new Map(all.map((subject) => [subject.collection.nsid, subject]))
  return { model, all, of: (nsid) => byName.get(nsid) ?? null }
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

/** `Published at` of `publishedAt`; `Image alt` of `image` and `alt`. */
export function labelOf(words: readonly string[]): string {
  const text = words
    .map((word) =>
      word
        .replaceAll(/[_-]+/g, ' ')
        .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
        .toLowerCase(),
    )
    .join(' ')
    .trim()
  return text.charAt(0).toUpperCase() + text.slice(1)
}

export function collectionLabel({ nsid }: Collection): string {
  return labelOf([lastPart(nsid)])
}
