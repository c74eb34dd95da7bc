/** The names of records that facets and conditions refer to by URI. */
import { sortFields } from '../../schema/model/operators.ts'
import { referrersBy } from '../fields/named-references.ts'
import type { ShownField } from '../fields/shown-field.ts'
import { leaves, mergeSelections, nested, onType } from '../../ask/graphql-text.ts'
import type { Panel } from '../../ask/operation.ts'
import type { Answer } from '../page.ts'
import { directions, distinctNames, type Names } from '../parts/values.ts'
import type { Condition } from '../view/conditions.ts'
import type { Where } from '../../ask/where.ts'

const mostNames = 100

/** Finds the records that conditions name. */
export function conditionNames(conditions: readonly Condition[]): readonly Panel[] {
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
      name: 'named',
      field: 'nodes',
      arguments: { ids: ids.slice(0, mostNames) },
      selection: mergeSelections([{ id: {} }, ...names]),
    },
  ]
}

/** A title with the names of the records of conditions; null where they have none. */
export function namedTitle(
  conditions: readonly Condition[],
  title: (names: Names) => string,
): ((answer: Answer) => string) | null {
  if (conditionNames(conditions).length === 0) return null
  return (answer) => title(readNames(answer, [])).replaceAll(directions, '')
}

/** The records that others refer to most by the field; `where` restricts them. */
export function referredPanel(field: ShownField, where?: Where): readonly Panel[] {
  const { target, targetTitle } = field
  if (target === null || targetTitle === null) return []
  const count = `${referrersBy(field)?.viaField}_count`
  return [
    {
      name: `names_${field.name}`,
      field: target.rootField,
      arguments: {
        first: mostNames,
        where,
        sortBy: sortFields(target).some(({ name }) => name === count)
          ? [{ field: count, direction: 'DESC' }]
          : undefined,
      },
      selection: { nodes: leaves('uri', targetTitle) },
    },
  ]
}

export function readNames(answer: Answer, fields: Iterable<ShownField>): Names {
  const names = new Map<string, string>()
  for (const { name, targetTitle } of fields) {
    const { nodes = [] } = (answer[`names_${name}`] ?? {}) as { nodes?: readonly Answer[] }
    if (targetTitle !== null) for (const node of nodes) add(node['uri'], node[targetTitle])
  }
  for (const node of (answer['named'] ?? []) as readonly (Answer | null)[])
    if (node !== null) add(node['id'], Object.entries(node).find(([key]) => key.startsWith('name_'))?.[1])
  return distinctNames(names)

  function add(uri: unknown, name: unknown): void {
    if (typeof uri === 'string' && typeof name === 'string' && name.trim() !== '') names.set(uri, name)
  }
}
