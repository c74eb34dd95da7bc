/** What pages ask of stories: how many records and outlets tell of each, among those of a view. */
import { EnumValue, nested, onType, printField, type Selection } from '../../ask/graphql-text.ts'
import type { Panel } from '../../ask/operation.ts'
import { resolvedName } from '../../ask/selection.ts'
import { andWhere, nest, type Where } from '../../ask/where.ts'
import { aggregateOf } from '../chart-data/asked-chart.ts'
import { entityField } from '../fields/named-references.ts'
import { readField, selectFields } from '../fields/record-selection.ts'
import type { ShownField } from '../fields/shown-field.ts'
import type { PageSubject } from '../fields/subject.ts'
import type { Answer } from '../page.ts'
import { dateOnly } from '../parts/values.ts'
import { recordArguments, valuesOf, type View, withCondition } from '../view/view.ts'
import { fieldsNamed, type ListAnswer, type ListNode, resultOfNode } from './list.ts'

type StoryFields = NonNullable<ReturnType<typeof storyFields>>

/** Null where records are in no stories. */
export function storyFields(subject: PageSubject) {
  const { collection, fields, ownFields, roles } = subject
  const { nsid, stories, referredBy } = collection
  const [field, time] = [fields.get(stories?.field ?? ''), ownFields.get(stories?.time ?? '')]
  const own = referredBy.find((each) => each.collection === nsid && each.path.join() === stories?.field)
  const resolved = resolvedName(collection.type.fields, stories?.field ?? '')
  if (field === undefined || time === undefined || own === undefined || resolved === null) return null
  const entity = entityField(subject)
  const outlet = entity?.isGroup === true ? entity : null
  const columns = fieldsNamed(subject, [roles.title, outlet?.name ?? null, roles.time])
  return {
    /** The reference to the first record of a record's story. */
    field,
    time,
    /** The reference to the outlet; null where records refer to none. */
    outlet,
    /** Headline, outlet and time. */
    columns,
    /** In GraphQL: the first record, and the records on it. */
    resolved,
    list: own.viaField,
  }
}

/** The records of the view that tell the story, the first one first. */
export function storyView(view: View, uri: string, subject: PageSubject): View | null {
  const fields = storyFields(subject)
  if (fields === null) return null
  const { field, time } = fields
  const own = withCondition({ ...view, stories: false, others: [] }, { field, operator: 'is', values: [uri] })
  return { ...own, sort: time.isSort ? { field: time.name, direction: 'asc' } : null }
}

/** The only story of the view, by the URI of its first record; null without one. */
export function storyOf(view: View, subject: PageSubject): string | null {
  const [uri = null, ...more] = valuesOf(view, storyFields(subject)?.field.name ?? '', 'is')
  return more.length === 0 ? uri : null
}

/** A story, and what tells it in the records of a view. */
export type StoryRow = ReturnType<typeof readStories>[number]

/** Whether one record is first, or another has the same time, or the same day where the first has no time of day. */
type FirstRank = 'first' | 'sameTime' | 'sameDay'

/** `of`: a condition on the story. */
export function storyPanels(name: string, view: View, of: Where, subject: PageSubject): readonly Panel[] {
  const fields = storyFields(subject)
  if (fields === null) return []
  const { field, outlet, columns, resolved } = fields
  const { search, where } = recordArguments(view)
  const outlets = outlet && printField('outlets: countDistinct', { field: new EnumValue(outlet.name) })
  const path = [resolved, onType(subject.collection.typeName)]
  const first = nested(path, { ...selectFields(columns), ...earliest(fields, 2, [fields.time]) })
  return [
    {
      name,
      field: aggregateOf(subject),
      arguments: { search, where: andWhere(where, nest(field, of)), groupBy: [field.name] },
      selection: { groups: { [field.name]: {}, count: {}, ...(outlets && { [outlets]: {} }), ...first } },
    },
  ]
}

/** How many records and outlets tell each story of a page that has one record per story. */
export function listedStories({ edges }: ListAnswer, view: View, subject: PageSubject): readonly Panel[] {
  const uris = edges.flatMap(({ node }) => node[subject.collection.stories?.field ?? ''] ?? []) as string[]
  return view.stories && uris.length > 0 ? storyPanels('stories', view, { uri: { in: uris } }, subject) : []
}

const mostStories = 6

/** The stories that most outlets tell; without outlets, most records. Those of one alone are left out. */
export function largestStories(name: string, view: View, subject: PageSubject): readonly Panel[] {
  const outlet = storyFields(subject)?.outlet
  const by = outlet == null ? { measure: 'COUNT' } : { measure: 'COUNT_DISTINCT', field: outlet.name }
  const order = {
    limit: mostStories,
    rankBy: { ...by, direction: 'DESC' },
    having: { ...by, operator: 'GTE', value: 2 },
  }
  const panels = storyPanels(name, view, { isNull: false }, subject)
  return panels.map((each) => ({ ...each, arguments: { ...each.arguments, ...order } }))
}

/** Empty where the panel was not asked, or has failed. */
export function readStories(answer: Answer, name: string, subject: PageSubject) {
  const { groups = [] } = (answer[name] ?? {}) as { readonly groups?: readonly Answer[] }
  const fields = storyFields(subject)
  if (fields === null) return []
  return groups.map((group) => {
    const uri = String(group[fields.field.name])
    const first = group[fields.resolved] as Answer | null
    return {
      uri,
      /** Without values where the record is not indexed. */
      first: resultOfNode({ ...first, uri }, fields.columns),
      count: Number(group['count']),
      /** Null where records refer to no outlet. */
      outlets: (group['outlets'] ?? null) as number | null,
      /** Null where the first record is not indexed. */
      rank: rankIn(first, fields),
    }
  })
}

/** A page shows so many others of the story of its record. */
const mostOthers = 6

/** The first records of the story of a record, with one more, because it may be among them. */
export function selectSameStory(subject: PageSubject): Selection {
  const fields = storyFields(subject)
  if (fields === null) return {}
  const path = [fields.resolved, onType(subject.collection.typeName)]
  const records = earliest(fields, mostOthers + 1, [...fields.columns, fields.time], { totalCount: {} })
  return nested(path, { uri: {}, ...records })
}

/** Selects, on the first record of a story, its earliest records. */
function earliest(
  { time, list }: StoryFields,
  first: number,
  columns: readonly ShownField[],
  more: Selection = {},
): Selection {
  const sortBy = [{ field: new EnumValue(time.name), direction: new EnumValue('ASC') }]
  return { [printField(list, { first, sortBy })]: { ...more, nodes: selectFields(columns) } }
}

function rankIn(first: Answer | null, { list, time }: StoryFields): FirstRank | null {
  const { nodes = [] } = (first?.[list] ?? {}) as { readonly nodes?: readonly ListNode[] }
  if (nodes.length === 0) return null
  const [one = '', other = ''] = nodes.map((node) => String(readField(node, time) ?? ''))
  const [at, next] = [Date.parse(one), Date.parse(other)]
  if (dateOnly.test(one) && next < at + 86_400_000) return 'sameDay'
  return at === next ? 'sameTime' : 'first'
}

/** The first other records of the story; `total` counts the record too. Without others, an empty list. */
export function readSameStory(node: Answer, subject: PageSubject) {
  const fields = storyFields(subject)
  const first = (node[fields?.resolved ?? ''] ?? null) as Answer | null
  if (fields === null || first === null) return { story: '', total: 0, others: [], rank: null } as const
  const list = first[fields.list] as { readonly totalCount: number; readonly nodes: readonly ListNode[] }
  const others = list.nodes.filter(({ uri }) => uri !== node['uri']).slice(0, mostOthers)
  const results = others.map((each) => resultOfNode(each, fields.columns))
  return { story: String(first['uri']), total: list.totalCount, others: results, rank: rankIn(first, fields) }
}
