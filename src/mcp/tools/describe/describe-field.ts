/** Describes one field: its meaning, how to filter by it, and its values in the index. */
import type { Subject } from '../../words/collections.ts'
import { type Counted, fewer, firstFitting, kindWord } from './describe-parts.ts'
import { EnumValue, printField, printSelection } from '../../graphql/graphql-text.ts'
import { groupNames } from '../../filters/group-names.ts'
import { findGroupAtEnd, isMoment, selectGroup } from '../../filters/groups.ts'
import { parsePath, type Path } from '../../filters/paths.ts'
import { fitValue } from '../../words/budget.ts'
import { throwCursorError } from '../aggregate/continuing.ts'
import { present, type Toolbox } from '../toolbox.ts'
import type { Json } from '../tool.ts'

const mostValues = 50
/** Values shown for fields whose values hardly ever repeat. */
const mostExamples = 5
/** Numbers and lengths of values, tried in this order. */
const sizes = [
  [mostValues, 200],
  [35, 120],
  [20, 100],
  [10, 80],
  [mostExamples, 80],
  [3, 60],
  [1, 60],
] as const

/** `after`: the cursor of an answer with more values. */
export async function describeField(
  subject: Subject,
  text: string,
  after: string | undefined,
  toolbox: Toolbox,
): Promise<Json> {
  const path = parsePath(text, subject.collection, toolbox)
  const meaning = after === undefined ? meaningOf(path, toolbox) : {}
  const about = { collection: subject.label, field: text, ...meaning }
  const byMonth = isMoment(path)
  const { holder, group } = findGroupAtEnd(path, byMonth ? ':month' : '', toolbox)
  const root = `${holder.rootField}Aggregate`
  if (group === null) {
    const { data, asOf } = await toolbox.read(`{ ${root} { count } }`)
    const whole = present({ ...about, records: (data[root] as Json)['count'], asOf })
    return fitValue(whole, toolbox.budget).value as Json
  }
  const list = printField(root, {
    groupBy: [new EnumValue(group.field.name)],
    orderBy: byMonth ? new EnumValue('KEY_DESC') : undefined,
    limit: mostValues,
    after,
  })
  const query = printSelection({
    [list]: {
      groupCount: {},
      groups: { ...selectGroup(group, toolbox), count: {}, cursor: {} },
      groupsPageInfo: { hasNextPage: {} },
    },
  })
  const { data, asOf } = await toolbox.read(query).catch(throwCursorError)
  const counted = data[root] as Counted
  const names = groupNames(group, counted.groups, toolbox)
  const keyOf = ({ [group.field.name]: value }: Json) => names.get(value) ?? value
  const most = byMonth || after !== undefined || repeats(counted) ? mostValues : mostExamples
  const whole = present({ ...about, [byMonth ? 'months' : 'distinct']: counted.groupCount, asOf })
  const { groups, groupsPageInfo } = counted
  const cut = (shown: number, longest: number) => {
    const isMore = shown < groups.length || groupsPageInfo?.hasNextPage === true
    return present({
      ...whole,
      values: fewer(groups, keyOf, shown, longest),
      after: isMore ? groups[Math.min(shown, groups.length) - 1]?.['cursor'] : null,
    })
  }
  const cuts = sizes.values().filter(([shown]) => shown <= most)
  return firstFitting(
    cuts.map(([shown, longest]) => cut(shown, longest)),
    cut(1, 60),
    toolbox,
  )
}

/** True if counts of values are informative. */
function repeats({ groupCount, groups }: Counted): boolean {
  return groupCount <= mostValues || (groups[0]?.count ?? 0) > 2
}

function meaningOf({ end, text }: Path, { catalogue }: Toolbox): Json {
  if (end.kind === 'records') {
    const { holder, reference } = end.last
    const { label, brief } = catalogue.of(holder.nsid)
    return {
      type: `← ${label}.${reference.path.join('.')}`,
      about: `Records of ${label} that refer to this one.`,
      filter: `"some", "none", or a field of theirs, such as "${text}.${brief[0] ?? 'uri'}".`,
    }
  }
  if (end.kind !== 'property') return {}
  const { type, description } = end.field
  const element = type.kind === 'array' ? type.of : type
  return {
    type: kindWord(type, end.reference, catalogue),
    about: description,
    ...(element.kind === 'object' && {
      fields: Object.fromEntries(element.type.fields.map((field) => [field.name, field.description])),
    }),
    ...(type.kind === 'strongRef' && {
      filter: `A URI, a name, a field behind it, or {"${text}.isCurrent": false} where what it refers to has changed since, {"${text}.isIndexed": false} where that is not here.`,
    }),
  }
}
