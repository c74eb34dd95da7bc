/** The names of records that facets and conditions refer to by URI. */
import type { PageSubject } from '../fields/subject.ts'
import { mergeSelections, nested, onType } from '../../ask/graphql-text.ts'
import type { Panel } from '../../ask/operation.ts'
import type { Answer, Draft } from '../page.ts'
import { directions, distinctNames, type Names } from '../parts/values.ts'
import type { Condition } from '../view/conditions.ts'
import type { FacetAnswer } from './list.ts'

const mostNames = 100

/** Finds the records that conditions name. */
export function conditionNames(conditions: readonly Condition[], panel = 'named'): readonly Panel[] {
  const named = conditions.filter(
    ({ field, operator }) => field.targetTitle !== null && operator !== 'missing',
  )
  const ids = [...new Set(named.flatMap(({ values }) => values.filter((value) => value.startsWith('at://'))))]
  if (ids.length === 0) return []
  const names = named.map(({ field: { target, targetTitle } }) =>
    nested([onType(target?.typeName ?? ''), `name_${target?.typeName}: ${targetTitle}`]),
  )
  return [
    {
      name: panel,
      field: 'nodes',
      arguments: { ids: ids.slice(0, mostNames) },
      selection: mergeSelections([{ id: {} }, ...names]),
    },
  ]
}

/** The title of a page; where conditions name records, also that with the names of these. */
export function titlesOf(
  conditions: readonly Condition[],
  title: (names?: Names) => string,
): Pick<Draft, 'title' | 'titleFrom'> {
  if (conditionNames(conditions).length === 0) return { title: title() }
  return { title: title(), titleFrom: (answer) => title(readNames(answer)).replaceAll(directions, '') }
}

/** Finds the records that facets name, which is asked when their values are known. */
export function facetNames(
  answers: readonly (FacetAnswer | null)[],
  { fields }: PageSubject,
): readonly Panel[] {
  const conditions = answers.flatMap((answer): readonly Condition[] => {
    const field = fields.get(answer?.field ?? '')
    const values = answer?.values.map(({ value }) => value) ?? []
    return field === undefined ? [] : [{ field, operator: 'is', values }]
  })
  return conditionNames(conditions, 'facetNames')
}

export function readNames(answer: Answer): Names {
  const names = new Map<string, string>()
  const nodes = [answer['named'], answer['facetNames']].flat() as readonly (Answer | null | undefined)[]
  for (const node of nodes) {
    const uri = node?.['id']
    const [, name] = Object.entries(node ?? {}).find(([key]) => key.startsWith('name_')) ?? []
    if (typeof uri === 'string' && typeof name === 'string' && name.trim() !== '') names.set(uri, name)
  }
  return distinctNames(names)
}
