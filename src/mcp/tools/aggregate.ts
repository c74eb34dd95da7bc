/** The tool `aggregate`: a table of counts, measures and shares by field and unit of time. */
import { nearest } from '../../util/text/nearest.ts'
import { type Aggregated, buildTable, type Order, type Table } from './aggregate-table.ts'
import { budgets, fitRows, tokensOfJson } from '../words/budget.ts'
import { filterExample, findExamples } from '../words/examples.ts'
import { selectDisplay } from '../filters/fields.ts'
import { buildWhere } from '../filters/filters.ts'
import {
  EnumValue,
  type Literal,
  mergeSelections,
  printField,
  printSelection,
  type Selection,
} from '../graphql/graphql-text.ts'
import { type Group, type Measure, parseGroup, parseMeasure } from '../filters/groups.ts'
import { whyNothing } from '../words/nothing-found.ts'
import { plainValue } from '../words/plain-text.ts'
import type { Toolbox } from './toolbox.ts'
import { argumentsOf, type Json, schemaOf, type Tool, ToolError } from './tool.ts'
import { allOf, type Where } from '../filters/where.ts'

const defaultLimit = 20
/** The service's limit of groups. */
const mostGroups = 1000
const mostKeys = 5

export function createAggregate(toolbox: Toolbox): Tool {
  const { bucket, measure } = findExamples(toolbox)
  return {
    name: 'aggregate',
    title: 'Count and measure',
    description:
      'Counts records, in groups if you like, as a table. collection, text, filters, since, until: as in search_records.',
    inputSchema: argumentsOf(
      {
        collection: { type: 'string' },
        by: {
          type: 'array',
          items: { type: 'string' },
          description: `Paths; times with :hour, :day, :week, :month or :year, such as ${bucket}.`,
        },
        measures: {
          type: 'array',
          items: { type: 'string' },
          description: `avg, sum, min, max or distinct and a path, such as ${measure ?? `"max:${bucket.slice(1, -6)}"`}.`,
        },
        text: { type: 'string' },
        filters: { type: 'object' },
        since: { type: 'string' },
        until: { type: 'string' },
        share: { type: 'object', description: 'Filters: how many of each group meet them, and the share.' },
        order: {
          type: 'string',
          description:
            'count, key, share or a measure; "-" for descending. Default -count; key when by time first.',
        },
        min_count: { type: 'integer', minimum: 1 },
        limit: { type: 'integer', minimum: 1, maximum: 500 },
        offset: { type: 'integer', minimum: 0, maximum: 999 },
      },
      ['collection'],
    ),
    outputSchema: schemaOf(
      {
        count: { type: 'integer' },
        groups: { type: 'integer' },
        columns: { type: 'array', items: { type: 'string' } },
        rows: { type: 'array', items: { type: 'array' } },
        cut: { type: 'integer' },
        hint: { type: 'string' },
        query: { type: 'string' },
      },
      ['count', 'columns', 'rows', 'query'],
    ),
    run: (args, signal) => aggregate(args, toolbox, signal),
  }
}

async function aggregate(args: Json, toolbox: Toolbox, signal: AbortSignal): Promise<Json> {
  const subject = toolbox.catalogue.named(String(args.collection))
  const { collection } = subject
  const groups = texts(args.by).map((text) => parseGroup(text, collection, toolbox))
  if (groups.length > mostKeys) throw new ToolError(`Group by at most ${mostKeys} paths.`)
  const twice = groups.find(
    (group, at) => groups.findIndex(({ field }) => field.name === group.field.name) !== at,
  )
  if (twice !== undefined) throw new ToolError(`"${twice.text}" is grouped by twice; leave one out.`)
  // The table always has the count.
  const wanted = texts(args.measures).filter((text) => text.trim() !== 'count')
  const asked = wanted.map((text) => parseMeasure(text, collection, toolbox))
  // Time series are read in order of time.
  const usual = groups[0]?.field.bucket ? 'key' : '-count'
  const order = parseOrder(args, usual, filterExample(collection), (text) =>
    parseMeasure(text, collection, toolbox),
  )
  // The table shows the measure that orders the groups.
  const measures = typeof order.by === 'object' && !hasMeasure(asked, order.by) ? [...asked, order.by] : asked
  const filtering = toolbox.filtering(signal)
  const where = await buildWhere(subject, args, filtering)
  const share =
    args.share === undefined ? null : await buildWhere(subject, { filters: args.share }, filtering)

  const offset = typeof args.offset === 'number' ? args.offset : 0
  const limit = typeof args.limit === 'number' ? args.limit : defaultLimit
  // The service cannot order by share or count groups after `min_count`; both need all groups here.
  const needsAll = order.by === 'share' || args.min_count !== undefined
  const root = `${collection.rootField}Aggregate`
  const field = (condition: Where | null, isShare: boolean) =>
    printField(root, {
      where: condition ?? undefined,
      ...(groups.length === 0
        ? {}
        : {
            groupBy: groups.map((group) => new EnumValue(group.field.name)),
            ...(isShare ? {} : ordering(order)),
            minCount: isShare ? undefined : (args.min_count as number | undefined),
            limit: isShare || needsAll ? mostGroups : Math.min(offset + limit, mostGroups),
          }),
    })
  const main = `${field(where, false)} ${printSelection(selectMain(groups, measures, toolbox))}`
  const besides =
    share === null
      ? ''
      : ` share: ${field(allOf([where ?? {}, share]), true)} ${printSelection(selectShare(groups))}`
  const query = `{ ${main}${besides} }`
  const data = await toolbox.ask(query, signal)
  const whole = data[root] as Aggregated
  const part = share === null ? null : (data.share as Aggregated)
  const table = buildTable(groups, measures, order, whole, part, toolbox)
  const hint =
    whole.count === 0
      ? await whyNothing(args, subject, toolbox, signal)
      : part?.count === 0
        ? await whyNothing({ filters: args.share }, subject, toolbox, signal)
        : null
  const isNarrowed = args.min_count !== undefined
  const isCapped = needsAll && table.rows.length === mostGroups
  return answer(table, { query, offset, limit, whole, hint, isNarrowed, isCapped })
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : []
}

function hasMeasure(measures: readonly Measure[], { text }: Measure): boolean {
  return measures.some((measure) => measure.text === text)
}

function parseOrder(args: Json, usual: string, example: string, measureOf: (text: string) => Measure): Order {
  const written = typeof args.order === 'string' ? args.order.trim() : usual
  const name = written.replace(/^[-+]/, '')
  const isDescending = written.startsWith('-')
  if (name === 'share' && args.share === undefined)
    throw new ToolError(`To order by share, give filters in share, such as ${example}.`)
  if (name === 'count' || name === 'key' || name === 'share') return { by: name, isDescending }
  if (!/[:(]/.test(name)) {
    const near = nearest(name, ['count', 'key', 'share'])
    throw new ToolError(
      `"${name.slice(0, 60)}" is no order.${near === null ? '' : ` Did you mean "${near}"?`} Write count, key, share or a measure such as "-avg:field".`,
    )
  }
  return { by: measureOf(name), isDescending }
}

const rankings = { avg: 'AVG', sum: 'SUM', min: 'MIN', max: 'MAX', distinct: 'COUNT_DISTINCT' } as const

function ordering({ by, isDescending }: Order): Readonly<Record<string, Literal>> {
  const direction = isDescending ? 'DESC' : 'ASC'
  // If there are more groups than the limit, the largest groups are the most informative.
  if (by === 'share') return { orderBy: new EnumValue('COUNT_DESC') }
  if (typeof by !== 'object')
    return { orderBy: new EnumValue(`${by === 'key' ? 'KEY' : 'COUNT'}_${direction}`) }
  const { kind, field } = by
  return {
    rankBy: {
      measure: new EnumValue(rankings[kind]),
      field: new EnumValue(field),
      direction: new EnumValue(direction),
    },
  }
}

function selectMain(groups: readonly Group[], measures: readonly Measure[], toolbox: Toolbox): Selection {
  const measured = mergeSelections(measures.map((measure, at) => selectMeasure(measure, at)))
  if (groups.length === 0) return { count: {}, ...measured }
  const keys = groups.map(({ field, reference }) =>
    mergeSelections([
      { [field.name]: {} },
      reference === null
        ? {}
        : { [`${field.name}Resolved`]: selectDisplay(reference === 'any' ? null : reference, toolbox) },
    ]),
  )
  return { count: {}, groupCount: {}, groups: mergeSelections([...keys, { count: {} }, measured]) }
}

function selectShare(groups: readonly Group[]): Selection {
  if (groups.length === 0) return { count: {} }
  const keys = Object.fromEntries(groups.map(({ field }) => [field.name, {}]))
  return { count: {}, groupCount: {}, groups: { ...keys, count: {} } }
}

function selectMeasure({ kind, field }: Measure, at: number): Selection {
  return kind === 'distinct'
    ? { [`distinct${at}: countDistinct(field: ${field})`]: {} }
    : { [kind]: { [field]: {} } }
}

interface Around {
  readonly query: string
  readonly offset: number
  readonly limit: number
  readonly whole: Aggregated
  readonly hint: string | null
  /** True with `min_count`: the number of groups then includes only the remaining groups. */
  readonly isNarrowed: boolean
  /** True if there may be more groups than were read. */
  readonly isCapped: boolean
}

function answer({ columns, rows, isPartial }: Table, around: Around): Json {
  const { query, offset, limit, whole, hint, isNarrowed, isCapped } = around
  const wanted = rows.slice(offset, offset + limit).map(plainValue)
  const all = isNarrowed ? rows.length : (whole.groupCount ?? rows.length)
  const partial = 'A share of null is not known: there are too many groups; narrow the filters.'
  const capped = `Only ${mostGroups} groups were looked at; narrow the filters.`
  const next = (at: number) => `More groups: offset ${at}.`
  const frame = {
    count: whole.count,
    groups: all,
    columns,
    rows: [],
    cut: all,
    hint: `${hint ?? partial} ${capped} ${next(all)}`,
    query,
  }
  const { rows: kept } = fitRows(wanted, budgets.aggregate - tokensOfJson(frame) - 10)
  const cut = Math.max(all - offset - kept.length, 0)
  const end = offset + kept.length
  const said = [
    hint,
    isPartial ? partial : null,
    isCapped ? capped : null,
    cut > 0 && end < mostGroups ? next(end) : null,
  ]
  const hints = said.filter((sentence) => sentence !== null).join(' ')
  return {
    count: whole.count,
    ...(whole.groupCount === undefined ? {} : { groups: all }),
    columns,
    rows: kept,
    ...(cut > 0 ? { cut } : {}),
    ...(hints === '' ? {} : { hint: hints }),
    query,
  }
}
