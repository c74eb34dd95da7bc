/** What the page of a record asks: the record, the titles of what it refers to, and those indexed last of what refers to it. */
import { isLanguage } from '../fields/shown-field.ts'
import type { PageSubject } from '../fields/subject.ts'
import { leaves, mergeSelections, printField, type Selection } from '../../ask/graphql-text.ts'
import type { Panel } from '../../ask/operation.ts'
import { selectSameStory } from '../lists/stories.ts'
import type { Site } from '../page.ts'
import { valueAt } from '../../util/is-object.ts'
import { selectReferences } from './references.ts'

/** A page shows so many of the records that refer by one field. */
export const mostReferring = 6

const mostReverseFields = 12

/** What every record has. */
export interface RecordFields {
  readonly uri: string
  readonly cid: string
  readonly rev: string | null
  readonly did: string
  readonly actorHandle: string | null
  readonly indexedAt: string
  readonly changedAt: string
  readonly recordJson: Readonly<Record<string, unknown>>
}

export interface RecordNode extends RecordFields {
  /** Under the reverse fields. */
  readonly [name: string]: unknown
}

export interface ReferringAnswer {
  readonly totalCount: number
  readonly nodes: readonly { readonly uri: string; readonly recordJson: Readonly<Record<string, unknown>> }[]
}

/** A reference of other records that may lead to records of the collection. */
export type Referring = ReturnType<typeof referringTo>[number]

export function referringTo({ collection }: PageSubject, { subjects }: Site) {
  const own = new Set(collection.type.fields.map(({ name }) => name))
  return collection.referredBy
    .filter(({ viaField, collection: nsid, path }) => {
      const isStory = nsid === collection.nsid && path[0] === collection.stories?.field
      return !own.has(viaField) && !isStory
    })
    .slice(0, mostReverseFields)
    .flatMap((reference) => {
      const holder = subjects.of(reference.collection)
      if (holder === null) return []
      /** The field of the holder by which its collection can be filtered; null if there is none. */
      const field = holder.ownFields.get(reference.path.join('\n')) ?? null
      // The name is that of the reverse field.
      return [{ name: reference.viaField, reference, holder, field }]
    })
}

const systemFields = leaves(
  'uri',
  'cid',
  'rev',
  'did',
  'actorHandle',
  'indexedAt',
  'changedAt',
  'recordJson',
) satisfies Record<keyof RecordFields, Selection>

export function recordPanel(uri: string, subject: PageSubject, site: Site): Panel {
  const { collection } = subject
  return {
    name: 'record',
    field: `${collection.rootField}ByUri`,
    arguments: { uri },
    selection: mergeSelections([
      systemFields,
      selectReferences(subject, site.subjects),
      selectSameStory(subject),
      Object.fromEntries(
        referringTo(subject, site).map(({ name }) => [
          printField(name, { first: mostReferring }),
          { totalCount: {}, nodes: leaves('uri', 'recordJson') },
        ]),
      ),
    ]),
  }
}

/** The text of the field with that name; null without one. */
export function textOf(record: unknown, name: string | null, { fields }: PageSubject): string | null {
  const field = name === null ? undefined : fields.get(name)
  const value = field === undefined ? undefined : valueAt(record, field.properties)
  return typeof value === 'string' && value.trim() !== '' ? value : null
}

/** The language tag that a record states for its texts. */
export function languageOf(record: unknown, { collection }: PageSubject): string | null {
  for (const { property, type } of collection.type.fields) {
    const held = type.kind === 'array' ? type.of : type
    if (!isLanguage({ type: held })) continue
    const value = valueAt(record, [property])
    const tags = Array.isArray(value) ? value : [value]
    if (tags.length === 1 && typeof tags[0] === 'string') return tags[0]
  }
  return null
}
