/** Sums the estimates of all parts of a physical plan. */
import type { Estimate, PhysicalList, PhysicalRoot } from '../plan/physical-plan.ts'
import type {
  AggregateOutput,
  GroupOutput,
  ListOutput,
  Output,
  RecordSelections,
  Selected,
} from '../plan/plan.ts'

export function estimatesOf(roots: readonly Selected<PhysicalRoot>[]): Estimate {
  let estimatedRows = 0
  let savedSize = 0
  for (const { output } of roots)
    for (const part of partsOfRoot(output)) {
      estimatedRows += part.estimatedRows
      savedSize += part.savedSize
    }
  return { estimatedRows, savedSize }
}

type Fields = readonly Selected<Output<PhysicalList>>[]

function* partsOfRoot(output: PhysicalRoot): Generator<Estimate> {
  switch (output.kind) {
    case 'constant':
    case 'introspection':
    case 'status':
      return
    case 'list':
      return yield* partsOfList(output.list)
    case 'byUri':
      return yield* partsOfFields(output.fields)
    case 'nodes':
      return yield* partsOfRecords(output.records)
    case 'aggregate':
      yield output.aggregate
      for (const field of output.aggregate.fields) yield* partsOfGroups(field.output)
  }
}

function* partsOfGroups(
  output: AggregateOutput<PhysicalList> | GroupOutput<PhysicalList>,
): Generator<Estimate> {
  if (output.kind === 'keyResolved') yield* partsOfRecords(output.records)
  if (output.kind === 'groups' || output.kind === 'measures')
    for (const field of output.fields) yield* partsOfGroups(field.output)
}

function* partsOfList(list: PhysicalList): Generator<Estimate> {
  yield list
  for (const { output } of list.fields) yield* partsOfListOutput(output)
}

function* partsOfListOutput(output: ListOutput<PhysicalList>): Generator<Estimate> {
  if (output.kind === 'nodes') yield* partsOfFields(output.fields)
  if (output.kind === 'edges')
    for (const field of output.fields)
      if (field.output.kind === 'node') yield* partsOfFields(field.output.fields)
}

function* partsOfRecords(records: RecordSelections<PhysicalList>): Generator<Estimate> {
  for (const { fields } of records) yield* partsOfFields(fields)
}

function* partsOfFields(fields: Fields): Generator<Estimate> {
  for (const { output } of fields) yield* partsOfOutput(output)
}

function* partsOfOutput(output: Output<PhysicalList>): Generator<Estimate> {
  switch (output.kind) {
    case 'constant':
    case 'system':
    case 'json':
    case 'anyJson':
    case 'wrapped':
    case 'blobField':
    case 'isCurrent':
      return
    case 'object':
      return yield* partsOfFields(output.fields)
    case 'union':
      for (const { fields } of output.cases) yield* partsOfFields(fields)
      return yield* partsOfFields(output.otherwise ?? [])
    case 'array':
      return yield* partsOfOutput(output.element)
    case 'resolved':
      return yield* partsOfRecords(output.records)
    case 'list':
      return yield* partsOfList(output.list)
  }
}
