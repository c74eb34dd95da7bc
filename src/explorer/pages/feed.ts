/** The feed of a collection: the newest records of a view. */
import { viewTitle } from '../browse/sentences.ts'
import { accountAddress, collectionAddress, recordAddress } from '../addresses.ts'
import { atomFeed, element, iriOf, link, text } from '../feeds/feed.ts'
import { aboutField, entityField } from '../fields/named-references.ts'
import { readField, selectFields } from '../fields/record-selection.ts'
import { isLanguage, type ShownField } from '../fields/shown-field.ts'
import type { PageSubject } from '../fields/subject.ts'
import { leaves, mergeSelections } from '../../ask/graphql-text.ts'
import { buildOperation, type Panel } from '../../ask/operation.ts'
import { type Draft, type FileDraft, newestIndexed, type PageRequest, type Site } from '../page.ts'
import { fieldsNamed, listArguments } from '../lists/list.ts'
import { conditionNames, readNames } from '../lists/names.ts'
import { kindAndTime, namingText } from '../parts/record-name.ts'
import { isNamed, isWebAddress, shortText } from '../parts/values.ts'
import type { RecordFields } from '../record/record-operation.ts'
import { readView, type View } from '../view/view.ts'
import { problemPage } from './failure.ts'

const mostEntries = 30
const longestTitle = 500
const longestSummary = 5_000

type FeedNode = Pick<RecordFields, 'uri' | 'did' | 'actorHandle' | 'indexedAt' | 'changedAt'>

export function feedPage(site: Site, subject: PageSubject, request: PageRequest): Draft | FileDraft {
  const { parameters, language, origin, address } = request
  const { nsid } = subject.collection
  const { view, problems } = readView(parameters, subject)
  const name = viewTitle(view, subject, language)
  if (problems.length > 0) return problemPage(problems, name, request)
  const asked = [feedPanel(view, subject), ...conditionNames(view.conditions)]
  return {
    media: 'application/atom+xml; charset=utf-8',
    operation: buildOperation(site.schema, 'Feed', asked),
    write(answer, _ask, index) {
      const { nodes } = answer['list'] as { readonly nodes: readonly FeedNode[] }
      const shown = nodes.filter(({ uri }) => recordAddress(uri) !== null)
      const latest = shown
        .map(({ changedAt }) => changedAt)
        .toSorted((one, other) => Date.parse(other) - Date.parse(one))
      const head = {
        title: `${viewTitle(view, subject, language, readNames(answer))} · ${site.title}`,
        page: origin + (collectionAddress(nsid, { ...view, page: null }) ?? collectionAddress(nsid)),
        self: origin + address,
        author: site.title,
        updated: latest[0] ?? newestIndexed(index) ?? '1970-01-01T00:00:00.000Z',
      }
      const entries = shown.map((node) => entryOf(node, subject, request))
      return atomFeed(head, entries)
    },
  }
}

/** The newest records. Neither the order of the view nor that of a search applies. */
function feedPanel(view: View, subject: PageSubject): Panel {
  const own = leaves('did', 'actorHandle', 'indexedAt', 'changedAt')
  return {
    name: 'list',
    field: subject.collection.rootField,
    arguments: { first: mostEntries, ...listArguments(view, subject), sortBy: undefined },
    selection: { nodes: mergeSelections([own, selectFields(fieldsOf(subject))]) },
  }
}

function fieldsOf(subject: PageSubject): readonly ShownField[] {
  const { title, summary, time, link } = subject.roles
  const language = subject.collection.type.fields.find(isLanguage)
  return fieldsNamed(subject, [
    title,
    aboutField(subject)?.name ?? null,
    entityField(subject)?.name ?? null,
    summary,
    time,
    link,
    language?.name ?? null,
  ])
}

/** The author is what the record belongs to, such as an outlet; otherwise the handle or DID of the account. */
function entryOf(node: FeedNode, subject: PageSubject, { origin, language }: PageRequest): string {
  const { fields, roles } = subject
  const read = (field: ShownField) => readField(node, field)
  const textOf = (name: string | null): string | null => {
    const field = name === null ? undefined : fields.get(name)
    const value = field === undefined ? null : read(field)
    return typeof value === 'string' && value.trim() !== '' ? value : null
  }
  const path = recordAddress(node.uri) ?? ''
  const related = textOf(roles.link)
  const summary = textOf(roles.summary)
  const tag = fieldsOf(subject).find(isLanguage)
  const own = textOf(tag?.name ?? null)
  const entity = entityField(subject)
  const outlet = entity && read(entity)
  const author = isNamed(outlet)
    ? { name: outlet.name, page: recordAddress(outlet.uri) ?? path }
    : { name: node.actorHandle ?? node.did, page: accountAddress(node.did) }
  const title = namingText(read, subject, language)?.text ?? kindAndTime(read, subject, language)
  // `indexedAt` is not a time of publication.
  const isPublished = fields.get(roles.time)?.properties.length !== 0
  const isTag = own !== null && /^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/.test(own)
  return element('entry', { 'xml:lang': isTag ? own : null }, [
    text('id', iriOf(node.uri)),
    text('title', shortText(title, longestTitle)),
    text('published', isPublished ? instantOf(textOf(roles.time)) : null),
    text('updated', node.changedAt),
    link('alternate', origin + path, 'text/html'),
    related !== null && isWebAddress(related) ? link('related', new URL(related).href, null) : null,
    element('author', {}, [text('name', author.name), text('uri', origin + author.page)]),
    text('summary', summary === null ? null : shortText(summary, longestSummary)),
  ])
}

/** In UTC; null for years that RFC 3339 does not have. */
function instantOf(text: string | null): string | null {
  const at = text === null ? Number.NaN : Date.parse(text)
  if (Number.isNaN(at)) return null
  const instant = new Date(at).toISOString()
  return /^\d{4}-/.test(instant) ? instant : null
}
