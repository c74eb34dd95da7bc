/** Pairs of values that one list has together, which `aggregate` gives if `by` names the list twice. */
import { limits } from '../../../query/parse/limits.ts'
import { isArray } from '../../../schema/model/leaves.ts'
import { buildWhere } from '../../../ask/filters.ts'
import type { Group } from '../../../ask/groups.ts'
import { readSearch } from '../../../ask/search.ts'
import { selectSideCounts } from '../../words/side-counts.ts'
import { EnumValue, printField, type Selection } from '../../../ask/graphql-text.ts'
import { fitRows } from '../../words/budget.ts'
import { tokensOfJson } from '../../words/tokens.ts'
import type { Subject } from '../../../ask/collections.ts'
import { hintOf } from '../../words/nothing-found.ts'
import { AskError } from '../../../ask/ask-error.ts'
import type { Json } from '../../../util/is-object.ts'
import { citationOf, parsePosition, present, printPosition, sentences, type Toolbox } from '../toolbox.ts'
import { type AggregateArguments, differentNames } from './columns.ts'

/** Arguments that only groups have. */
const ofGroups = [
  'measures',
  'share',
  'unusual',
  'top',
  'samples',
  'time_zone',
  'fill',
  'change',
  'order',
] as const

/** The list that is named twice; null if groups are wanted. */
export function pairedGroup([one, other, ...more]: readonly Group[]): Group | null {
  if (one === undefined || one.field.name !== other?.field.name || more.length > 0) return null
  return isArray(one.field.leaf) && one.field.joins.length === 0 ? one : null
}

export async function aggregatePairs(
  { text, field }: Group,
  args: AggregateArguments,
  subject: Subject,
  toolbox: Toolbox,
): Promise<Json> {
  const wrong = ofGroups.find((name) => args[name] !== undefined)
  if (wrong !== undefined)
    throw new AskError(`Pairs have counts alone: leave ${wrong} out, or name "${text}" in by once.`)
  const { limit = 20, after, min_count: minCount } = args
  const start = parsePosition(after)
  const where = await buildWhere(subject, args, toolbox)
  const root = `${subject.collection.rootField}Aggregate`
  // One more than is shown, to see whether there are more.
  const most = Math.min(start + limit + 1, limits.groups)
  const pairs = printField('pairs', { field: new EnumValue(field.name), minCount, limit: most })
  const wanted: Selection = {
    [printField(root, { search: readSearch(subject, args.search)?.text, where })]: {
      count: {},
      [pairs]: { values: {}, count: {} },
    },
  }
  const read = await toolbox.read(wanted, await selectSideCounts(args, subject, toolbox))
  const { asOf, query } = citationOf(read, args, toolbox)
  const { count, pairs: found } = read.data[root] as {
    readonly count: number
    readonly pairs: readonly { readonly values: readonly string[]; readonly count: number }[]
  }
  const rows = found.slice(start, start + limit).map((pair) => [...pair.values, pair.count])
  const columns = differentNames([text, text, 'count'])
  const hint = await hintOf(read.data, count, args, subject, toolbox)
  const whole = (some: readonly unknown[], after: string | null, note: string | null): Json =>
    present({ count, asOf, columns, rows: some, after, hint: sentences(hint, note), query })
  const room = toolbox.budget - tokensOfJson(whole([], printPosition(start + limit), null)) - 10
  const { rows: shown } = fitRows(rows, room)
  const end = start + shown.length
  const note = end === limits.groups ? `Only the ${limits.groups} most frequent pairs are counted.` : null
  return whole(shown, end < found.length ? printPosition(end) : null, note)
}
