/** Describes one field: its meaning, how to filter by it, and its values in the index. */
import type { FieldType } from '../../schema/model/model.ts'
import { budgets, tokensOfJson } from '../words/budget.ts'
import type { Subject } from '../words/collections.ts'
import { type Counted, fewer, fitted, typeWord, type Values, valuesOf } from './describe-parts.ts'
import { readDisplay, selectDisplay } from '../filters/fields.ts'
import { EnumValue, printField, printSelection, type Selection } from '../graphql/graphql-text.ts'
import { findGroup, holdingEnd } from '../filters/groups.ts'
import { parsePath, type Path } from '../filters/paths.ts'
import { plainValue } from '../words/plain-text.ts'
import type { Toolbox } from './toolbox.ts'
import type { Json } from './tool.ts'

const mostValues = 50
/** Values shown for fields whose values hardly ever repeat. */
const mostExamples = 5

export async function describeField(
  subject: Subject,
  text: string,
  toolbox: Toolbox,
  signal: AbortSignal,
): Promise<Json> {
  const { collection, label } = subject
  const path = parsePath(text, collection, toolbox)
  const about = { collection: label, field: text, ...meaningOf(path, toolbox) }
  const { holder, own } = holdingEnd(path)
  const isMoment = isTime(path)
  const group =
    path.end.kind === 'records' ? null : findGroup(isMoment ? `${own}:month` : own, holder, toolbox)
  const root = `${holder.rootField}Aggregate`
  if (group === null) {
    const query = `{ ${root} { count } }`
    return fitted({ ...about, records: ((await toolbox.ask(query, signal))[root] as Json).count, query })
  }
  const { name } = group.field
  const reference = group.reference === 'any' ? null : group.reference
  const resolved: Selection =
    group.reference === null ? {} : { [`${name}Resolved`]: selectDisplay(reference, toolbox) }
  const list = printField(root, {
    groupBy: [new EnumValue(name)],
    orderBy: isMoment ? new EnumValue('KEY_DESC') : undefined,
    limit: mostValues,
  })
  const selection = { groupCount: {}, groups: { [name]: {}, ...resolved, count: {} } }
  const query = `{ ${list} ${printSelection(selection)} }`
  const counted = (await toolbox.ask(query, signal))[root] as Counted
  const values = valuesOf(
    counted,
    (row) => readDisplay(row[`${name}Resolved`], reference, toolbox) ?? row[name],
  )
  const most = isMoment || repeats(counted) ? mostValues : mostExamples
  const count = isMoment ? { months: counted.groupCount } : { distinct: counted.groupCount }
  return fitValues({ ...about, ...count, query }, values, most)
}

function isTime({ end }: Path): boolean {
  if (end.kind === 'system') return end.name === 'indexedAt' || end.name === 'changedAt'
  return end.kind === 'property' && end.field.type.kind === 'datetime'
}

/** True if counts of values are informative. */
function repeats({ groupCount, groups }: Counted): boolean {
  return groupCount <= mostValues || (groups[0]?.count ?? 0) > 2
}

function meaningOf({ end, text, steps }: Path, toolbox: Toolbox): Json {
  if (end.kind === 'records') return meaningOfRecords(text, steps, toolbox)
  if (end.kind !== 'property') return {}
  const { field, reference } = end
  const target = reference?.target ?? null
  const type = target === null ? typeWord(field.type) : `→ ${toolbox.catalogue.of(target).label}`
  const inside = objectIn(field.type)
  const members = inside?.fields.map(({ name, description }) => [name, description] as const)
  return {
    type,
    about: field.description,
    ...(members === undefined ? {} : { fields: Object.fromEntries(members) }),
    ...(field.type.kind === 'strongRef'
      ? {
          filter: `A URI, a name, a field behind it, or {"${text}.isCurrent": false} where what it refers to has changed since, {"${text}.isIndexed": false} where that is not here.`,
        }
      : {}),
  }
}

function meaningOfRecords(text: string, steps: Path['steps'], toolbox: Toolbox): Json {
  const last = steps.at(-1)
  if (last?.kind !== 'reverse') return {}
  const { label, brief } = toolbox.catalogue.of(last.holder.nsid)
  return {
    type: `← ${label}.${last.reference.path.join('.')}`,
    about: `Records of ${label} that refer to this one.`,
    filter: `"some", "none", or a field of theirs, such as "${text}.${brief[0] ?? 'uri'}".`,
  }
}

function objectIn(type: FieldType) {
  if (type.kind === 'object') return type.type
  return type.kind === 'array' && type.of.kind === 'object' ? type.of.type : undefined
}

function fitValues(whole: Json, values: Values, most: number): Json {
  const plain = plainValue(whole) as Json
  for (const [shown, longest] of [
    [mostValues, 200],
    [35, 120],
    [20, 100],
    [10, 80],
    [mostExamples, 80],
  ] as const) {
    if (shown > most) continue
    const cut = { ...plain, values: fewer(values, shown, longest) }
    if (tokensOfJson(cut) <= budgets.describe) return cut
  }
  return fitted({ ...plain, values: fewer(values, mostExamples, 80) })
}
