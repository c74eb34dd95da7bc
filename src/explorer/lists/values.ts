/** The most frequent values of a field, and those that contain a text. */
import type { GroupAnswer, GroupsAnswer } from '../chart-data/asked-chart.ts'
import type { ShownField } from '../fields/shown-field.ts'
import type { PageSubject } from '../fields/subject.ts'
import type { Language } from '../languages/language.ts'
import { leaves } from '../../ask/graphql-text.ts'
import type { Panel } from '../../ask/operation.ts'
import type { Answer } from '../page.ts'
import { foldText } from '../../util/text/fold.ts'
import { type Names, plainValue } from '../parts/values.ts'
import { operatorsOf } from '../../ask/fields.ts'
import { changed, recordArguments, type View } from '../view/view.ts'
import { andWhere, nest, type Where } from '../../ask/where.ts'
import { type FacetAnswer, facetSelection, type ListAnswer } from './list.ts'

const mostValues = 100

/** The values of a field that records are grouped by, in which a part of them is looked for, without its own condition. */
export function valuePanel(field: ShownField, find: string, view: View, subject: PageSubject): Panel {
  const others = changed(view, {
    conditions: view.conditions.filter((each) => each.field.name !== field.name),
  })
  const found = find === '' ? null : findCondition(field, find)
  const { where, search } = recordArguments(others)
  const restricted = { where: where || found ? andWhere(where, found) : undefined, search }
  const { rootField } = subject.collection
  // Facets do not take fields inside arrays of objects, although groups do.
  return field.many
    ? {
        name: 'values',
        field: `${rootField}Aggregate`,
        arguments: { ...restricted, groupBy: [field.name], orderBy: 'COUNT_DESC', limit: mostValues },
        selection: { groupCount: {}, groups: leaves(field.name, 'count') },
      }
    : {
        name: 'values',
        field: rootField,
        arguments: { ...restricted, first: 1 },
        selection: facetSelection([field], mostValues, false),
      }
}

/** Null where a part of a value cannot be looked for: the most frequent values are then looked through. */
export function findCondition(field: ShownField, find: string): Where | null {
  const { targetTitle, isArray, type } = field
  const contains = { contains: find }
  if (targetTitle !== null && isArray && type.kind === 'strongRef')
    return nest(field, { some: { [targetTitle]: contains } })
  if (targetTitle !== null && !isArray) return nest(field, { [targetTitle]: contains })
  return operatorsOf(field).includes('contains') ? nest(field, contains) : null
}

/** Null for a field that is not grouped by. */
export function facetOf(
  answer: Answer,
  field: ShownField,
  find: string,
  names: Names,
  language: Language,
): FacetAnswer | null {
  const { facets = [], groups, groupCount } = (answer['values'] ?? {}) as ValuesAnswer
  const facet = groups === undefined ? facets[0] : ofGroups(groups, groupCount ?? 0, field)
  if (facet === undefined || find === '') return facet ?? null
  const wanted = foldText(find)
  const values = facet.values.filter(
    ({ value }) =>
      foldText(value).includes(wanted) ||
      foldText(plainValue(field, value, language, names)).includes(wanted),
  )
  return { ...facet, values, missing: 0, among: facet.values.length }
}

type ValuesAnswer = Partial<GroupsAnswer> & Pick<ListAnswer, 'facets'>

function ofGroups(groups: readonly GroupAnswer[], all: number, { name }: ShownField): FacetAnswer {
  const known = groups.filter((group) => group[name] !== null)
  return {
    field: name,
    values: known.map((group) => ({ value: String(group[name]), count: group.count })),
    missing: groups.find((group) => group[name] === null)?.count ?? 0,
    cut: all > groups.length,
  }
}
