/** The tool `describe`: the collections, the meaning of their fields, and the values in the index. */
import { elementOf, parsePath, type Path, reverseNames } from '../../../ask/paths.ts'
import { mergeSelections, EnumValue, printField } from '../../../ask/graphql-text.ts'
import { fitValue } from '../../words/budget.ts'
import type { Subject } from '../../../ask/collections.ts'
import { cutText } from '../../words/plain-text.ts'
import { AskError } from '../../../ask/ask-error.ts'
import type { Json } from '../../../util/is-object.ts'
import { argumentsOf, present, sentences, throwCursorError } from '../toolbox.ts'
import type { Toolbox, ToolDefinition } from '../toolbox.ts'
import { describeCollection } from './describe-collection.ts'
import { describeName } from './describe-name.ts'
import { createFillRateReader, type FillRateReader } from './fill-rates.ts'
import { readRange, selectRange } from '../../words/days.ts'
import { type Counted, fewer, firstFitting, kindWord, timeOf } from './describe-parts.ts'
import { groupNames, findGroupAtEnd, isMoment, selectGroup } from '../../../ask/groups.ts'

/** Collections whose times one query reads; each may cost 20 points. */
const mostTimes = 10
/** How many names of referring records each collection shows, tried in this order. */
const referring = [Infinity, 12, 4, 1, 0] as const
/** As many at most where not all collections fit, and the rest is on a next page. */
const mostPaged = 4

interface DescribeArguments extends Json {
  readonly name?: string
  readonly collection?: string
  readonly field?: string
  readonly after?: string
}

export function createDescribe(): ToolDefinition {
  const readFillRates = createFillRateReader()
  return {
    name: 'describe',
    title: 'Describe the data',
    description:
      'Call this first. Without arguments: the collections. With a collection: the time of since and until, fields with the share of records that have them, values with counts. With a field too: all of it. With a name: the records that it may mean.',
    inputSchema: argumentsOf({ collection: 'string', field: 'string', name: 'string', after: 'string' }),
    run: (args, toolbox) => describe(args, readFillRates, toolbox),
  }
}

async function describe(
  { collection, field, name, after }: DescribeArguments,
  readFillRates: FillRateReader,
  toolbox: Toolbox,
): Promise<Json> {
  if (name !== undefined) {
    if (field === undefined) return describeName(name, collection, after, toolbox)
    throw new AskError('name and field ask for different things: leave one of them out.')
  }
  if (collection !== undefined) {
    const subject = toolbox.catalogue.named(collection)
    if (field !== undefined) return describeField(subject, field, after, toolbox)
    if (after !== undefined) throw new AskError('after is of the values of a field: name the field, too.')
    return describeCollection(subject, readFillRates, toolbox)
  }
  if (field !== undefined) throw new AskError('Name the collection that has the field, too.')
  return describeAll(after, toolbox)
}

/** `after`: the collection that the last answer ended with. */
async function describeAll(after: string | undefined, toolbox: Toolbox): Promise<Json> {
  const { catalogue } = toolbox
  const start = after === undefined ? 0 : catalogue.subjects.indexOf(catalogue.named(after)) + 1
  const subjects = catalogue.subjects.slice(start)
  const timed = subjects.slice(0, mostTimes)
  const ranges = timed.map((subject, at) => selectRange(`time${at}`, subject))
  const status = { indexStatus: { collections: { name: {}, records: {} } } }
  const { data, asOf } = await toolbox.read(status, mergeSelections(ranges))
  const { collections } = data['indexStatus'] as { collections: readonly Json[] }
  const rows = subjects.map((subject, at) => {
    const { collection, label } = subject
    const records = Number(collections.find(({ name }) => name === collection.nsid)?.['records'] ?? 0)
    const names = [...reverseNames(collection, toolbox).values()]
    const range = readRange(data, `time${at}`, subject)
    return {
      collection: label,
      ...(label !== collection.nsid && { nsid: collection.nsid }),
      about: cutText(collection.type.description, 160),
      records,
      ...(range !== null && records > 0 && { time: timeOf(subject, records, range) }),
      ...(names.length > 0 && { referredToBy: names }),
    }
  })
  const archive = await toolbox.archiveHint()
  const room = toolbox.budget - 60 - (archive === null ? 0 : 40)
  const whole = fitCollections(asOf, rows, room)
  const shown = (whole.collections as readonly Json[]).length
  const last = shown < rows.length ? rows[shown - 1] : undefined
  const more = last === undefined ? null : `${rows.length - shown} more collections are served.`
  const isTimed = rows.slice(0, shown).every(({ records, time }) => records === 0 || time !== undefined)
  const untimed = isTimed ? null : 'Where time is missing, describe that collection.'
  return present({ ...whole, after: last?.collection, hint: sentences(archive, untimed, more) })
}

/** As many collections as fit, or all, with the first names of the records that refer to each. */
function fitCollections(asOf: unknown, rows: readonly Json[], room: number): Json {
  const fitted = referring.values().map((most) => {
    const collections = rows.map(({ referredToBy: names, ...row }) => ({
      ...row,
      ...(Array.isArray(names) && { referredToBy: first(names, most) }),
    }))
    const { value, cut } = fitValue(present({ asOf, collections }), room)
    const isWhole = cut.length === 0 || (most <= mostPaged && cut.every(({ path }) => path === 'collections'))
    return { value: value as Json, isWhole: isWhole || most === 0 }
  })
  return fitted.find(({ isWhole }) => isWhole)?.value ?? {}
}

function first(names: readonly string[], most: number): readonly string[] {
  const left = names.length - most
  return left > 0 ? [...names.slice(0, most), `… ${left} more`] : names
}

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

/** One field: its meaning, how to filter by it, and its values in the index. `after`: the cursor of an answer with more values. */
async function describeField(subject: Subject, text: string, after: string | undefined, toolbox: Toolbox) {
  const path = parsePath(text, subject.collection, toolbox)
  const meaning = after === undefined ? meaningOf(path, toolbox) : {}
  const byMonth = isMoment(path)
  const { holder, group } = findGroupAtEnd(path, byMonth ? ':month' : '', toolbox)
  const whose = holder === subject.collection ? null : toolbox.catalogue.of(holder.nsid).label
  const about = { collection: subject.label, field: text, counted: whose, ...meaning }
  const root = `${holder.rootField}Aggregate`
  if (group === null) {
    const { data, asOf } = await toolbox.read({ [root]: { count: {} } })
    const whole = present({ ...about, records: (data[root] as Json)['count'], asOf })
    return fitValue(whole, toolbox.budget).value as Json
  }
  const list = printField(root, {
    groupBy: [new EnumValue(group.field.name)],
    orderBy: byMonth ? new EnumValue('KEY_DESC') : undefined,
    limit: mostValues,
    after,
  })
  const wanted = {
    [list]: {
      groupCount: {},
      groups: { ...selectGroup(group, toolbox), count: {}, cursor: {} },
      groupsPageInfo: { hasNextPage: {} },
    },
  }
  // Records without a value are one of the groups, and no value.
  const distinct = printField('countDistinct', { field: new EnumValue(group.field.name) })
  const besides = after === undefined ? { [`values: ${root}`]: { [distinct]: {} } } : {}
  const { data, asOf } = await toolbox.read(wanted, besides).catch(throwCursorError)
  const counted = data[root] as Counted
  const { countDistinct } = { ...(data['values'] as Json | undefined) }
  const names = groupNames(group, counted.groups, toolbox)
  const keyOf = ({ [group.field.name]: value }: Json) => names.get(value) ?? value
  const most = byMonth || after !== undefined || repeats(counted) ? mostValues : mostExamples
  const whole = present({ ...about, [byMonth ? 'months' : 'distinct']: countDistinct, asOf })
  const { groups, groupsPageInfo } = counted
  const cut = (shown: number, longest: number) => {
    const isMore = shown < groups.length || groupsPageInfo?.hasNextPage === true
    return present({
      ...whole,
      // A name ends with its key.
      values: fewer(groups, keyOf, shown, group.resolved === null ? longest : Infinity),
      after: isMore ? groups[Math.min(shown, groups.length) - 1]?.['cursor'] : null,
    })
  }
  const fitting = sizes.values().filter(([shown]) => shown <= most)
  const cuts = fitting.map(([shown, longest]) => cut(shown, longest))
  return firstFitting(cuts, cut(1, 60), toolbox)
}

/** True if counts of values are informative. */
function repeats({ groupCount, groups }: Counted): boolean {
  return groupCount <= mostValues || (groups[0]?.count ?? 0) > 2
}

function meaningOf({ end, text }: Path, { catalogue }: Toolbox): Json {
  if (end.kind === 'records' && end.isCount) return { type: 'integer' }
  if (end.kind === 'records') {
    const { record: holder, reference } = end.last
    const { label, brief } = catalogue.of(holder.nsid)
    return {
      type: `← ${label}.${reference.path.join('.')}`,
      about: `Records of ${label} that refer to this one.`,
      filter: `"some", "none", or a field of theirs, such as "${text}.${brief[0] ?? 'uri'}".`,
    }
  }
  if (end.kind !== 'property') return {}
  const { type, description } = end.field
  const element = elementOf(type)
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
