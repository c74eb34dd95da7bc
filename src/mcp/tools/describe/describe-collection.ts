/** Describes a collection: its fields, their fill rates and the values in the index. */
import type { Field } from '../../../schema/model/model.ts'
import { referenceOf, reverseNames } from '../../../ask/paths.ts'
import { EnumValue, leaves, mergeSelections, printField } from '../../../ask/graphql-text.ts'
import { isCategorical, type Subject } from '../../../ask/collections.ts'
import { cutText } from '../../words/plain-text.ts'
import type { Json } from '../../../util/is-object.ts'
import { present, type Toolbox } from '../toolbox.ts'
import { type Counted, fewer, firstFitting, kindWord, percent, timeOf } from './describe-parts.ts'
import type { FillRateReader, FillRates } from './fill-rates.ts'
import { readRange, selectRange } from '../../words/days.ts'

/** Fields whose values one query counts, values shown per field, and texts shown that `search` covers. */
const mostCounted = 10
const mostValues = 12
const mostSearched = 12
/** Lengths of meanings, and numbers of values, tried in this order; names of fields are never cut. */
const sizes = [
  [300, 12],
  [110, 12],
  [80, 8],
  [60, 6],
  [45, 4],
  [28, 3],
  [16, 2],
] as const

/** Of answers without meanings and values. */
const shorter = 'Cut to fit: for meanings and values give more max_tokens'

export async function describeCollection(subject: Subject, readFillRates: FillRateReader, toolbox: Toolbox) {
  const { collection, label } = subject
  const { fields, description } = collection.type
  const grouped = fields.filter(isCategorical).slice(0, mostCounted)
  const root = `${collection.rootField}Aggregate`
  const groups = grouped.map(({ name }) => ({
    [`${name}: ${printField(root, { groupBy: [new EnumValue(name)], limit: mostValues })}`]: {
      groupCount: {},
      groups: leaves(name, 'count'),
    },
  }))
  const { data, asOf } = await toolbox.read(
    mergeSelections([{ [root]: { count: {} } }, selectRange('time', subject), ...groups]),
  )
  const { count } = data[root] as { readonly count: number }
  const range = readRange(data, 'time', subject)
  const time = present({ time: count > 0 && range ? timeOf(subject, count, range) : null })
  const valuesOf = (name: string) => data[name] as Counted
  const known = grouped.flatMap(({ name }) => missingIn(valuesOf(name), name) ?? [])
  const { rates, refused } = await readFillRates(subject, count, new Map(known), toolbox)
  const isUnfilled = ({ name }: Field) => rates.get(name) === percent(0, count)
  const lines = fields
    .filter((field) => !isUnfilled(field))
    .map((field) => [field.name, lineOf(field, rates, subject, toolbox)] as const)
  const unfilled = fields.filter(isUnfilled).map(({ name }) => name)
  const whole = {
    collection: label,
    about: description,
    records: count,
    ...time,
    ...present({
      search: collection.searchFields
        .slice(0, mostSearched)
        .map(({ name }) => name)
        .join(', '),
    }),
    fields: Object.fromEntries([...lines, ...referringLines(subject, toolbox)]),
    ...present({ unfilled: unfilled.join(' ') }),
    ...present({ asOf, hint: refused && `Some fields have no fill rate: ${refused}` }),
  }
  const names = {
    collection: label,
    records: count,
    fields: [...Object.keys(whole.fields), ...unfilled],
    asOf,
  }
  return firstFitting(cuts(), { ...names, hint: `${shorter}, or name a field.` }, toolbox)

  function cutLines(longest: number): Json {
    return Object.fromEntries(
      Object.entries(whole.fields).map(([name, line]) => [name, cutText(line, longest)]),
    )
  }

  function* cuts(): Generator<Json, undefined> {
    for (const [meaning, most] of sizes)
      yield {
        ...whole,
        about: cutText(whole.about, 4 * meaning),
        fields: cutLines(meaning),
        values: Object.fromEntries(
          grouped.map(({ name }) => [name, valuesAndOthers(valuesOf(name), name, most)]),
        ),
      }
    yield {
      ...names,
      ...time,
      fields: cutLines(16),
      unfilled: unfilled.join(' '),
      hint: `${shorter}.`,
    }
  }
}

/** Of a field with one value a record: the most frequent, and how many more there are; having none counts as one. */
function valuesAndOthers({ groupCount, groups }: Counted, name: string, most: number): Json {
  const values = fewer(groups, (group) => group[name], most, 40)
  const others = groupCount - Math.min(groups.length, most)
  return others === 0 ? values : { ...values, '…': `${others} more` }
}

/** The number of records without a value, if all values are known. */
function missingIn({ groupCount, groups }: Counted, name: string): [string, number][] | null {
  const missing = groups.find((group) => group[name] === null)
  return missing === undefined && groupCount > groups.length ? null : [[name, missing?.count ?? 0]]
}

/** Begins with the fill rate, because the end may be cut. */
function lineOf(field: Field, rates: FillRates, { collection }: Subject, { catalogue }: Toolbox): string {
  const { minimum, maximum, words } = field.constraints
  const rate = rates.get(field.name)
  const kind = kindWord(field.type, referenceOf(collection, field), catalogue)
  const range = minimum === null && maximum === null ? '' : ` ${minimum ?? ''}…${maximum ?? ''}`
  return `${rate === undefined || rate === '100%' ? '' : `${rate} `}${kind}${range}${words === '' ? '' : `. ${words}`}`
}

/** The records of a story are found by the field itself. */
function referringLines({ collection }: Subject, toolbox: Toolbox): (readonly [string, string])[] {
  const references = [...reverseNames(collection, toolbox)].filter(
    ([{ path }]) => path.join() !== collection.stories?.field,
  )
  return references.map(([reference, name]) => {
    const { label } = toolbox.catalogue.of(reference.collection)
    return [name, `← ${label}.${reference.path.join('.')}`]
  })
}
