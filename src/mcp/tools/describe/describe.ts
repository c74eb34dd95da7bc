/** The tool `describe`: the collections, the meaning of their fields, and the values in the index. */
import { askWith } from '../../filters/side-counts.ts'
import { reverseNames } from '../../filters/paths.ts'
import { mergeSelections } from '../../graphql/graphql-text.ts'
import { fitValue } from '../../words/budget.ts'
import type { Subject } from '../../words/collections.ts'
import { dayOf } from '../../words/days.ts'
import { percent } from '../../words/percent.ts'
import { cutText } from '../../words/plain-text.ts'
import { type Json, ToolError } from '../tool.ts'
import { argumentsOf, present, sentences, type Toolbox, type ToolDefinition } from '../toolbox.ts'
import { describeCollection } from './describe-collection.ts'
import { describeField } from './describe-field.ts'
import { createFillRateReader, type FillRateReader } from './fill-rates.ts'
import { readRange, selectRange, type TimeRange } from './time-ranges.ts'

/** Collections whose times one query reads; each may cost 20 points. */
const mostTimes = 10

interface DescribeArguments extends Json {
  readonly collection?: string
  readonly field?: string
  readonly after?: string
}

export function createDescribe(): ToolDefinition {
  const fillRates = createFillRateReader()
  return {
    name: 'describe',
    title: 'Describe the data',
    description:
      'Call this first. Without arguments: the collections. With a collection: its fields, the share of records that have them, their meaning and values with counts. With a field too: all of it.',
    inputSchema: argumentsOf({ collection: 'string', field: 'string', after: 'string' }),
    run: (args, toolbox) => describe(args, fillRates, toolbox),
  }
}

async function describe(
  { collection, field, after }: DescribeArguments,
  fillRates: FillRateReader,
  toolbox: Toolbox,
): Promise<Json> {
  if (collection !== undefined) {
    const subject = toolbox.catalogue.named(collection)
    if (field !== undefined) return describeField(subject, field, after, toolbox)
    if (after !== undefined) throw new ToolError('after is of the values of a field: name the field, too.')
    return describeCollection(subject, fillRates, toolbox)
  }
  if (field !== undefined) throw new ToolError('Name the collection that has the field, too.')
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
  const { data, asOf } = await askWith(toolbox.read, status, mergeSelections(ranges))
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
      ...(names.length > 0 && names.length <= 4 && { referredToBy: names }),
    }
  })
  const archive = await toolbox.archiveHint()
  const room = toolbox.budget - 60 - (archive === null ? 0 : 40)
  const whole = fitValue(present({ asOf, collections: rows }), room).value as Json
  const shown = (whole.collections as readonly Json[]).length
  const last = shown < rows.length ? rows[shown - 1] : undefined
  const more = last === undefined ? null : `${rows.length - shown} more collections are served.`
  const isTimed = rows.slice(0, shown).every(({ records, time }) => records === 0 || time !== undefined)
  const untimed = isTimed ? null : 'Where time is missing, describe that collection.'
  return present({ ...whole, after: last?.collection, hint: sentences(archive, untimed, more) })
}

/** Such as `publishedAt 2026-09-14 to 2026-11-15, 94.2 %`. */
function timeOf({ time }: Subject, records: number, { oldest, newest, undated }: TimeRange): string {
  const span = oldest === null ? '' : ` ${dayOf(oldest)} to ${dayOf(newest)},`
  return `${time}${span} ${percent(records - undated, records)}`
}
