/** Creates all tools of the agents' server, in the order of their listing. */
import { createAggregate } from './aggregate.ts'
import { createDescribe } from './describe.ts'
import { createGetRecord } from './get-record.ts'
import { createResolveName } from './resolve-name.ts'
import { createRunGraphql } from './run-graphql.ts'
import { createSearchRecords } from './search-records.ts'
import type { Tool, ToolsGiven } from './tool.ts'
import { createToolbox } from './toolbox.ts'
import { createValidateGraphql } from './validate-graphql.ts'

export function createTools(given: ToolsGiven): readonly Tool[] {
  const toolbox = createToolbox(given)
  return [
    createDescribe(toolbox),
    createSearchRecords(toolbox),
    createGetRecord(toolbox),
    createAggregate(toolbox),
    createResolveName(toolbox),
    createValidateGraphql(toolbox),
    createRunGraphql(toolbox),
  ]
}
