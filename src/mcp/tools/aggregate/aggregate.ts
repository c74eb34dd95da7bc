/** The tool `aggregate`: a table of counts, measures and shares by field and unit of time. */
import { limits } from '../../../query/parse/limits.ts'
import { nearest } from '../../../util/text/nearest.ts'
import { fitRows } from '../../words/budget.ts'
import { tokensOfJson } from '../../words/tokens.ts'
import { findExamples } from '../../words/examples.ts'
import { buildWhere, filterExample } from '../../../ask/filters.ts'
import type { Literal, Selection } from '../../../ask/graphql-text.ts'
import { EnumValue, mergeSelections, printField } from '../../../ask/graphql-text.ts'
import { type Group, type Groups, parseGroups, selectGroup } from '../../../ask/groups.ts'
import type { Subject } from '../../../ask/collections.ts'
import {
  directionOf,
  type Measure,
  measureWords,
  parseMeasure,
  rankByMeasure,
} from '../../../ask/measures.ts'
import type { Aggregated, AggregateArguments, Order, Table } from './columns.ts'
import {
  buildBackground,
  buildTable,
  differentNames,
  measureColumn,
  percentColumn,
  samplesColumn,
} from './columns.ts'
import { shareColumns, shortenSamples, significanceColumns, topColumn } from './columns.ts'
import { boundSeries, changeColumn, partialTimes, selectSpan, withoutPartialChanges } from './series.ts'
import { aggregatePairs, pairedGroup } from './pairs.ts'
import type { SchemaContext } from '../../../ask/paths.ts'
import { readSearch } from '../../../ask/search.ts'
import { selectSideCounts, sideCountsHint } from '../../words/side-counts.ts'
import { whyNothing } from '../../words/nothing-found.ts'
import type { Citation, Toolbox, ToolDefinition } from '../toolbox.ts'
import { argumentsOf, citationOf, longestOf, present, readOrder } from '../toolbox.ts'
import { sentences, throwCursorError, withFile } from '../toolbox.ts'
import { AskError, didYouMean } from '../../../ask/ask-error.ts'
import type { Json } from '../../../util/is-object.ts'

const defaultLimit = 20
/** The service's default of `min_count` for unusual groups. */
const leastUnusual = 5
const mostGroups = limits.groups

export function createAggregate(context: SchemaContext): ToolDefinition {
  const { bucket, measure } = findExamples(context)
  return {
    name: 'aggregate',
    title: 'Count and measure',
    description: 'Counts records, also in groups. What is not described is as in search_records.',
    inputSchema: argumentsOf(
      {
        collection: 'string',
        by: {
          type: 'array',
          items: { type: 'string' },
          description: `Paths; times with :hour, :day, :week, :month, :quarter, :year, :hourOfDay or :weekday, such as ${bucket}; integers with the size of ranges (:100). One list twice: its pairs.`,
        },
        measures: {
          type: 'array',
          items: { type: 'string' },
          description: `${measureWords} or p90 (any percentile) and a path, such as ${measure ?? `"max:${bucket.slice(1, -6)}"`}; of referring records, their number; avg and median of time..time, in seconds. Or percent of all records.`,
        },
        search: 'string',
        text: 'string',
        filters: { type: 'object', description: 'Path: value.' },
        since: 'string',
        until: 'string',
        share: { type: 'object', description: 'Filters: how many of each group meet them.' },
        unusual: {
          type: 'object',
          description:
            'Filters of the records to compare with; {}: all others. Groups with a higher share than there; a score above 3 is hardly chance.',
        },
        top: {
          type: 'object',
          description: 'Largest groups in each group: {"by": path, "limit": 1 to 10, "order": "-measure"}.',
        },
        samples: {
          type: 'integer',
          minimum: 1,
          maximum: 5,
          description: 'Newest of each group.',
        },
        time_zone: {
          type: 'string',
          description: 'Of times in by, such as Europe/Berlin; default UTC.',
        },
        fill: {
          type: 'boolean',
          description: 'By one time: also times without records, since to until.',
        },
        change: {
          type: 'boolean',
          description: 'By one time and any paths: count minus that of the time before.',
        },
        order: {
          type: 'string',
          description:
            'count, key, share or a measure; "-" for descending. Default -count; key with change or a time first.',
        },
        min_count: { type: 'integer', minimum: 1 },
        limit: { type: 'integer', minimum: 1, maximum: 500 },
        after: 'string',
        cite: 'boolean',
      },
      ['collection'],
    ),
    run: aggregate,
  }
}

/** What a call asks for, before anything is asked of the service. */
type Question = Awaited<ReturnType<typeof readQuestion>>

async function aggregate(given: AggregateArguments, toolbox: Toolbox): Promise<Json> {
  const subject = toolbox.catalogue.named(given.collection)
  const parsed = parseGroups(given.by ?? [], subject.collection, toolbox)
  const { groups } = parsed
  if (groups.length > limits.groupFields) throw new AskError(`Group by at most ${limits.groupFields} paths.`)
  const paired = pairedGroup(groups)
  if (paired !== null) return aggregatePairs(paired, given, subject, toolbox)
  assertDistinct(groups)
  const question = await readQuestion(given, { subject, ...parsed }, toolbox)
  const { args, columns, where, against } = question
  const asked: Selection = { [printMain(question)]: selectMain(question, toolbox) }
  const besides = {
    ...selectSpan(groups, subject, toolbox),
    ...(await selectSideCounts(args, subject, toolbox)),
  }
  const read = await toolbox.read(asked, besides).catch(throwCursorError)
  const { data } = read
  const whole = data[rootOf(subject)] as Aggregated
  const partial = partialTimes(groups, whole.groups ?? [], read, where, toolbox)
  const built = buildTable(groups, columns, whole, toolbox)
  const table = { ...withoutPartialChanges(built, groups, partial), incomplete: partial.incomplete }
  const isNoneUnusual = against !== null && whole.count > 0 && table.rows.length === 0
  const noMatch = whole['matching'] === 0 ? args.share : isNoneUnusual ? args.unusual : null
  const sought = whole.count === 0 ? args : noMatch && { filters: noMatch }
  const why = sought && (await whyNothing(sought, subject, toolbox))
  // Records are counted, but none meets the filters of that argument.
  const inside = why && whole.count > 0 ? `No record meets ${isNoneUnusual ? 'unusual' : 'share'}.` : null
  const least = args.min_count ?? leastUnusual
  const none = `No group of at least ${least} records (min_count) is more frequent than among those compared with.`
  const counts = sideCountsHint(data, whole.count, args, subject, toolbox)
  const end = args === given ? null : 'fill ends "today", because there is no until.'
  const hint = sentences(inside, why ?? (isNoneUnusual ? none : null), counts, end, toolbox.referenceHint())
  const said = answer(table, whole, args, citationOf(read, args, toolbox), hint, toolbox)
  const { after: _, ...unpaged } = args
  const inFile = {
    ...question,
    args: { ...unpaged, limit: mostGroups },
    columns: columns.filter(({ isList }) => isList !== true),
  }
  const { cursor: __, ...groupRow } = selectMain(inFile, toolbox)['groups'] ?? {}
  const all = { [printMain(inFile)]: { groups: groupRow } }
  const isWhole = Number(said['groups'] ?? whole.groupCount) <= mostGroups
  const lists = columns.flatMap(({ title, isList }) => (isList === true ? [title] : []))
  return withFile(said, all, isWhole ? 'All rows' : `At most ${mostGroups} rows`, lists)
}

async function readQuestion(
  given: AggregateArguments,
  { subject, groups, interval }: Groups & { readonly subject: Subject },
  toolbox: Toolbox,
) {
  const { collection } = subject
  const args = boundSeries(given, groups, subject)
  const measureOf = (text: string) => parseMeasure(text, collection, toolbox)
  // The table always has the count.
  const words = (args.measures ?? []).map((text) => text.trim())
  const hasPercent = words.includes('percent')
  const measures = words.filter((text) => text !== 'count' && text !== 'percent').map(measureOf)
  const search = readSearch(subject, args.search)?.text
  const where = await buildWhere(subject, args, toolbox)
  // The records to compare with; null without `unusual`.
  const against = await buildBackground(args, where !== null || search !== undefined, subject, toolbox)
  // Time series are read in order of time.
  const isSeries = Boolean(groups[0]?.field.bucket) || args.change === true
  const { name, isDescending } = readOrder(args.order ?? (isSeries ? 'key' : '-count'))
  if (name === 'share' && args.share === undefined)
    throw new AskError(`To order by share, give filters in share, such as ${filterExample(collection)}.`)
  const order: Order = { by: parseOrder(name, measureOf), isDescending }
  // The table shows the measure that orders the groups.
  const { by: first } = order
  if (typeof first === 'object' && !measures.some(({ text }) => text === first.text)) measures.push(first)
  const { top, samples } = args
  if (groups.length === 0 && (top !== undefined || samples !== undefined || hasPercent))
    throw new AskError('top, samples and percent are of groups: name their paths in by.')
  const columns = [
    ...(against === null ? [] : significanceColumns),
    ...(args.change === true ? [changeColumn] : []),
    ...(hasPercent ? [percentColumn] : []),
    ...measures.map((measure) => measureColumn(measure, groups)),
    ...(top === undefined ? [] : [topColumn(top, subject, toolbox)]),
    ...(samples === undefined ? [] : [samplesColumn(samples, args.cite === true, subject, toolbox)]),
  ]
  // The `where` that a group's share meets besides.
  const numerator =
    args.share === undefined ? null : await buildWhere(subject, { filters: args.share }, toolbox)
  if (numerator !== null) columns.push(...shareColumns)
  return { subject, groups, interval, args, order, columns, search, where, numerator, against }
}

function assertDistinct(groups: readonly Group[]): void {
  const names = groups.map(({ field }) => field.name)
  const twice = groups.find(({ field }, at) => names.indexOf(field.name) !== at)
  if (twice !== undefined)
    throw new AskError(
      `"${twice.text}" is grouped by twice; leave one out. Twice the same list of the record, as the only two in by, gives pairs of its values.`,
    )
}

function rootOf({ collection }: Subject): string {
  return `${collection.rootField}Aggregate`
}

function printMain(question: Question): string {
  const { subject, groups, interval, args, order, search, where, numerator, against } = question
  const { min_count: minCount, limit = defaultLimit, after } = args
  // It counts only unusual groups after `min_count`: others are counted here, once.
  const isCountedHere = minCount !== undefined && against === null && after === undefined
  const least = minCount && {
    measure: new EnumValue('COUNT'),
    operator: new EnumValue('GTE'),
    value: minCount,
  }
  const ordered =
    against === null ? { ...ordering(order), having: least } : { significant: { against, minCount } }
  const ofGroups = {
    groupBy: groups.map(({ field }) => new EnumValue(field.name)),
    timeZone: args.time_zone,
    interval,
    fill: args.fill === true ? true : undefined,
    ...ordered,
    limit: isCountedHere ? mostGroups : limit,
    after,
  }
  return printField(rootOf(subject), { search, where, numerator, ...(groups.length > 0 && ofGroups) })
}

function parseOrder(name: string, measureOf: (text: string) => Measure): Order['by'] {
  if (name === 'count' || name === 'key' || name === 'share') return name
  if (/[:(]/.test(name)) return measureOf(name)
  const meant = didYouMean(nearest(name, ['count', 'key', 'share']))
  throw new AskError(
    `"${name.slice(0, 60)}" is not an order.${meant} Write count, key, share or a measure such as "-avg:field".`,
  )
}

function ordering({ by, isDescending }: Order): Readonly<Record<string, Literal>> {
  if (typeof by === 'object') return { rankBy: rankByMeasure(by, isDescending) }
  if (by === 'share') return { rankBy: { measure: new EnumValue('SHARE'), ...directionOf(isDescending) } }
  return { orderBy: new EnumValue(`${by.toUpperCase()}_${isDescending ? 'DESC' : 'ASC'}`) }
}

function selectMain({ groups, columns, numerator }: Question, context: SchemaContext): Selection {
  const measured = mergeSelections(columns.map(({ select }) => select))
  if (groups.length === 0) return { count: {}, ...measured }
  const keys = groups.map((group) => selectGroup(group, context))
  return {
    count: {},
    ...(numerator !== null && { matching: {} }),
    groupCount: {},
    groups: mergeSelections([...keys, { count: {}, cursor: {} }, measured]),
    groupsPageInfo: { hasNextPage: {} },
  }
}

function answer(
  { columns, rows, incomplete }: Table & { readonly incomplete: readonly string[] },
  { count, groupCount, groups = [], groupsPageInfo }: Aggregated,
  { limit = defaultLimit, after, min_count: minCount, unusual, samples }: AggregateArguments,
  { asOf, query }: Citation,
  hint: string,
  { budget }: Toolbox,
): Json {
  const shown = rows.slice(0, limit)
  const { prefix, rows: wanted } =
    samples === undefined ? { prefix: null, rows: shown } : shortenSamples(columns, shown)
  const isFull = groupsPageInfo?.hasNextPage === true
  // The service counts groups before it leaves out small ones, except unusual groups.
  const isCounted = minCount === undefined || unusual !== undefined
  const counted = isCounted ? groupCount : isFull || after !== undefined ? null : rows.length
  const all = groupCount === undefined ? null : counted
  const cursors = groups.map(({ cursor }) => String(cursor))
  const whole = (some: readonly unknown[], cut: number | null | undefined, after: unknown): Json =>
    present({
      count,
      groups: all,
      asOf,
      prefix,
      // The count alone stands before them.
      ...(columns.length > 1 && { columns: differentNames(columns), rows: some }),
      incomplete: incomplete.length > 0 ? incomplete : null,
      cut,
      after,
      hint,
      query,
    })
  const { rows: fitting } = fitRows(wanted, budget - tokensOfJson(whole([], all, longestOf(cursors))) - 10)
  const end = fitting.length
  const cut = all === null || all === undefined || after !== undefined ? 0 : all - end
  return whole(fitting, cut > 0 ? cut : null, end < rows.length || isFull ? cursors[end - 1] : null)
}
