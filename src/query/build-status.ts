/** The field `indexStatus` to its outputs. */
import { fieldsBelow } from './build-list.ts'
import type { Collected } from './collect.ts'
import type { PlanContext } from './context.ts'
import type { CollectionStatusOutput, Selected, SourceStatusOutput, StatusOutput } from './plan.ts'

export function buildStatus(context: PlanContext, collected: Collected): readonly Selected<StatusOutput>[] {
  return fieldsBelow(context, collected, (below, type): StatusOutput => {
    switch (below.name) {
      case '__typename':
        return { kind: 'constant', json: JSON.stringify(type.name) }
      case 'collections':
        return { kind: 'collections', tables: context.tables, fields: namedFields(context, below) }
      default:
        return { kind: 'sources', fields: namedFields(context, below) }
    }
  })
}

/** Fields whose outputs have their names. */
function namedFields<Output extends CollectionStatusOutput | SourceStatusOutput>(
  context: PlanContext,
  collected: Collected,
): readonly Selected<Output>[] {
  return fieldsBelow(context, collected, ({ name }, type) =>
    name === '__typename'
      ? ({ kind: 'constant', json: JSON.stringify(type.name) } as Output)
      : ({ kind: name } as Output),
  )
}
