/** The newest records of a view as a feed. */
import { accountAddress, collectionAddress, recordAddress } from '../addresses.ts'
import { readField, selectFields } from '../fields/record-selection.ts'
import type { ShownField } from '../fields/shown-field.ts'
import type { Subject } from '../fields/subject.ts'
import type { Language } from '../languages/language.ts'
import type { Panel } from '../../ask/operation.ts'
import type { Answer, Site } from '../page.ts'
import { kindAndTime, type ReadValue } from '../parts/record-name.ts'
import { isWebAddress } from '../parts/values.ts'
import { shortText } from '../parts/texts.ts'
import type { View } from '../view/view.ts'
import { recordArguments } from '../view/where.ts'
import type { Feed, FeedEntry } from './feed.ts'

const mostEntries = 30
const longestTitle = 500
const longestSummary = 5_000

interface FeedNode {
  readonly uri: string
  readonly did: string
  readonly actorHandle: string | null
  readonly indexedAt: string
  readonly changedAt: string
}

/** In the order of the view; the newest first without one, for searches too. */
export function feedPanel(view: View, subject: Subject, site: Site): Panel {
  const { collection } = subject
  const { sort } = view
  return {
    name: 'list',
    field: collection.rootField,
    arguments: {
      first: mostEntries,
      ...recordArguments(view),
      sortBy: sort === null ? undefined : [{ field: sort.field, direction: sort.direction.toUpperCase() }],
    },
    selection: `nodes { did actorHandle indexedAt changedAt ${selectFields(fieldsOf(subject), collection.typeName, site.schema)} }`,
  }
}

/** `origin`: the address of the service without a path; `updated`: of the index. */
export function readFeed(
  answer: Answer,
  view: View,
  subject: Subject,
  site: Site,
  given: {
    readonly title: string
    readonly self: string
    readonly origin: string
    readonly updated: string | null
    readonly language: Language
  },
): Feed {
  const { title, self, origin, updated, language } = given
  const { nsid } = subject.collection
  const { nodes } = answer['list'] as { readonly nodes: readonly FeedNode[] }
  const entries = nodes.flatMap((node) => entryOf(node, subject, site, origin, language) ?? [])
  const latest = entries
    .map((entry) => entry.updated)
    .toSorted((one, other) => Date.parse(other) - Date.parse(one))
  return {
    title,
    page: origin + (collectionAddress(nsid, { ...view, page: null }) ?? collectionAddress(nsid)),
    self,
    author: site.title,
    updated: latest[0] ?? updated ?? '1970-01-01T00:00:00.000Z',
    entries,
  }
}

function fieldsOf({ fields, roles, collection }: Subject): readonly ShownField[] {
  const language = collection.type.fields.find(
    ({ type }) => type.kind === 'string' && type.format === 'language',
  )
  return [roles.title, roles.summary, roles.time, roles.link, language?.name ?? null].flatMap((name) =>
    name === null ? [] : (fields.get(name) ?? []),
  )
}

function entryOf(
  node: FeedNode,
  subject: Subject,
  { schema }: Site,
  origin: string,
  language: Language,
): FeedEntry | null {
  const { collection, fields, roles } = subject
  const textOf = (name: string | null): string | null => {
    const field = name === null ? undefined : fields.get(name)
    const value = field === undefined ? null : readField(node, field, collection.typeName, schema)
    return typeof value === 'string' && value.trim() !== '' ? value : null
  }
  const path = recordAddress(node.uri)
  const read: ReadValue = (field) => readField(node, field, collection.typeName, schema)
  if (path === null) return null
  const link = textOf(roles.link)
  const summary = textOf(roles.summary)
  const tag = fieldsOf(subject).find(({ type }) => type.kind === 'string' && type.format === 'language')
  const own = textOf(tag?.name ?? null)
  return {
    uri: node.uri,
    title: shortText(textOf(roles.title) ?? summary ?? kindAndTime(read, subject, language), longestTitle),
    page: origin + path,
    link: link !== null && isWebAddress(link) ? new URL(link).href : null,
    summary: summary === null ? null : shortText(summary, longestSummary),
    // `indexedAt` is not a time of publication.
    published: fields.get(roles.time)?.properties.length === 0 ? null : instantOf(textOf(roles.time)),
    updated: node.changedAt,
    author: node.actorHandle ?? node.did,
    authorPage: origin + accountAddress(node.did),
    language: own !== null && /^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/.test(own) ? own : null,
  }
}

/** In UTC; null for years that RFC 3339 does not have. */
function instantOf(text: string | null): string | null {
  const at = text === null ? Number.NaN : Date.parse(text)
  if (Number.isNaN(at)) return null
  const instant = new Date(at).toISOString()
  return /^\d{4}-/.test(instant) ? instant : null
}
