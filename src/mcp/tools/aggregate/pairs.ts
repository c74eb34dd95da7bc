/** Pairs of values that one list has together, which `aggregate` gives if `by` names the list twice. */
import { isArray } from '../../../schema/model/leaves.ts'
import { buildWhere } from '../../filters/filters.ts'
import type { Group } from '../../filters/groups.ts'
import { readSearch } from '../../filters/search.ts'
import { askWith, selectUndated, undatedHint } from '../../filters/undated.ts'
import { EnumValue, printField, type Selection } from '../../graphql/graphql-text.ts'
import { fitRows } from '../../words/budget.ts'
import { tokensOfJson } from '../../words/tokens.ts'
import type { Subject } from '../../words/collections.ts'
import { whyNothing } from '../../words/nothing-found.ts'
import { type Json, ToolError } from '../tool.ts'
import { citationOf, present, sentences, type Toolbox } from '../toolbox.ts'
import type { AggregateArguments } from './aggregate-arguments.ts'

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
    throw new ToolError(`Pairs have counts alone: leave ${wrong} out, or name "${text}" in by once.`)
  const { limit = 20, offset = 0, min_count: minCount } = args
  const where = await buildWhere(subject, args, toolbox)
  const root = `${subject.collection.rootField}Aggregate`
  // One more than is shown, to see whether there are more.
  const pairs = printField('pairs', { field: new EnumValue(field.name), minCount, limit: offset + limit + 1 })
  const wanted: Selection = {
    [printField(root, { search: readSearch(subject, args.search)?.text, where })]: {
      count: {},
      [pairs]: { values: {}, count: {} },
    },
  }
  const read = await askWith(toolbox.read, wanted, await selectUndated(args, subject, toolbox))
  const { asOf, query } = citationOf(read, args)
  const { count, pairs: found } = read.data[root] as {
    readonly count: number
    readonly pairs: readonly { readonly values: readonly string[]; readonly count: number }[]
  }
  const rows = found.slice(offset, offset + limit).map((pair) => [...pair.values, pair.count])
  const columns = [text, text, 'count']
  const why = count === 0 ? await whyNothing(args, subject, toolbox) : null
  const hint = sentences(why, undatedHint(read.data, subject), toolbox.referenceHint())
  const next = (at: number) => `More pairs: offset ${at}.`
  const frame = { count, asOf, columns, rows: [], hint: sentences(hint, next(offset + limit)), query }
  const { rows: shown } = fitRows(rows, toolbox.budget - tokensOfJson(frame) - 10)
  const end = offset + shown.length
  return present({
    count,
    asOf,
    columns,
    rows: shown,
    hint: sentences(hint, end < found.length ? next(end) : null),
    query,
  })
}
