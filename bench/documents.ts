/**
 * How long the worst documents take to be refused or planned, in this process and without a database: parsing,
 * validation, variables, plan and cost. Each should take less than 100 ms of this thread, whatever it is.
 * Usage: node bench/documents.ts [only=WORDS] [runs=5].
 */
import { getIntrospectionQuery } from 'graphql'
import { loadFoundation } from '../src/cli/foundation.ts'
import { buildRecord } from '../src/query/build-output.ts'
import { buildPlan } from '../src/query/build-plan.ts'
import { costOf } from '../src/query/cost.ts'
import { errorAnswer } from '../src/query/error-answer.ts'
import { findOperation, prepare } from '../src/query/prepare.ts'
import { coerceVariables } from '../src/query/variables.ts'
import { buildGraphQLSchema } from '../src/schema/graphql.ts'
import { documents } from './worst-documents.ts'
import { median } from './server.ts'

const option = (name: string, otherwise: string): string =>
  process.argv.find((it) => it.startsWith(`${name}=`))?.slice(name.length + 1) ?? otherwise
const [only, runs] = [option('only', ''), Number(option('runs', '5'))]

const { model, tables } = await loadFoundation(new URL('../lexicons', import.meta.url).pathname)
const schema = buildGraphQLSchema(model)

/** What the engine does before it makes a statement. */
function plan(text: string, raw: Readonly<Record<string, unknown>>): string {
  const document = prepare(schema, text)
  const operation = findOperation(document, null)
  const variables = coerceVariables(schema, operation, raw)
  const selection = { schema, fragments: document.fragments, variables }
  const context = { version: '0.0.0', model, tables, maxPageSize: 100, selection, record: buildRecord }
  return `${costOf(buildPlan(context, operation, raw))} points`
}

function outcome(text: string, raw: Readonly<Record<string, unknown>>): string {
  try {
    return plan(text, raw)
  } catch (error) {
    const { code, errors } = errorAnswer(error)
    const answer = JSON.stringify({ errors })
    return `${code}, ${errors.length} errors in ${answer.length} bytes: ${errors[0]?.message.slice(0, 80)}`
  }
}

plan(getIntrospectionQuery(), {})
for (const [name, { text, variables = {} }] of Object.entries(documents)) {
  if (!name.includes(only)) continue
  const times: number[] = []
  let found = ''
  for (let run = 0; run < runs; run += 1) {
    const before = process.threadCpuUsage()
    found = outcome(text, variables)
    const { user, system } = process.threadCpuUsage(before)
    times.push((user + system) / 1000)
    if ((times.at(-1) ?? 0) > 1_000) break
  }
  const size = `${(text.length / 1000).toFixed(0)} kB`
  console.log(`${median(times).toFixed(1).padStart(9)} ms ${size.padStart(8)}  ${name.padEnd(48)} ${found}`)
}
