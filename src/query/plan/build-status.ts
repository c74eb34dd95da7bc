/** Builds the outputs of the field `indexStatus`. Values that cannot change while the process runs are constants. */
import { schemaText } from '../../schema/schema-text.ts'
import { fieldsBelow } from './build-list.ts'
import type { Collected } from '../parse/collect.ts'
import type { PlanContext } from './context.ts'
import type { CollectionStatusOutput, Selected, SourceStatusOutput, StatusOutput } from './plan.ts'

export function buildStatus(context: PlanContext, collected: Collected): readonly Selected<StatusOutput>[] {
  return fieldsBelow(context, collected, (below, type): StatusOutput => {
    switch (below.name) {
      case '__typename':
        return { kind: 'constant', json: JSON.stringify(type.name) }
      case 'version':
        return { kind: 'constant', json: JSON.stringify(context.version) }
      case 'schemaHash':
        return { kind: 'constant', json: JSON.stringify(schemaText(context.selection.schema).hash) }
      case 'lexicons':
        return { kind: 'constant', json: JSON.stringify(lexicons(context, below)) }
      case 'collections':
        return { kind: 'collections', tables: context.tables, fields: namedFields(context, below) }
      default:
        return { kind: 'sources', fields: namedFields(context, below) }
    }
  })
}

function lexicons(context: PlanContext, collected: Collected): unknown[] {
  return context.model.lexicons.map(({ nsid, revision, hash }) => {
    const values: Readonly<Record<string, unknown>> = { name: nsid, revision, hash }
    const fields = fieldsBelow(context, collected, ({ name }, type) =>
      name === '__typename' ? type.name : values[name],
    )
    return Object.fromEntries(fields.map(({ key, output }) => [key, output]))
  })
}

/** Fields whose output kinds are their names. */
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
