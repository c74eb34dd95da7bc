/**
 * What operations cost beside what they take: points (src/query/cost.ts) against milliseconds of planning and of the
 * statement, in this process, medians of warm runs. The weights in cost.ts are right as far as the ratio stays in a
 * narrow band: points that are too low let a caller have more than is paid for.
 * Usage: node bench/cost.ts DATABASE [only=WORDS] [runs=5]. It holds an imported news corpus and is only read.
 */
import { parse } from 'graphql'
import { parseConfig } from '../src/cli/config.ts'
import { loadFoundation, openExistingStore } from '../src/cli/foundation.ts'
import { buildRecord } from '../src/query/build-output.ts'
import { buildPlan } from '../src/query/build-plan.ts'
import { costOf, sizeOf } from '../src/query/cost.ts'
import { emitList } from '../src/query/emit-list.ts'
import { constantResponse, emitStatement } from '../src/query/emit.ts'
import { createEmitter } from '../src/query/emitter.ts'
import { findOperation, prepare } from '../src/query/prepare.ts'
import { coerceVariables } from '../src/query/variables.ts'
import { buildGraphQLSchema } from '../src/schema/graphql.ts'
import { operations } from './cost-operations.ts'
import { median } from './server.ts'

const [path = '', ...options] = process.argv.slice(2)
if (path === '' || path.includes('=')) throw new Error('Name the database first.')
const option = (name: string, otherwise: string): string =>
  options.find((it) => it.startsWith(`${name}=`))?.slice(name.length + 1) ?? otherwise
const only = option('only', '')
const runs = Number(option('runs', '5'))
/** Nothing is asked again that took longer, in milliseconds. */
const patience = 3_000

const { config } = parseConfig('query', ['--database', path, '{ __typename }'], {})
const foundation = await loadFoundation(new URL('../lexicons', import.meta.url).pathname)
const { model, tables } = foundation
const schema = buildGraphQLSchema(model)
await using database = await openExistingStore(config, foundation)
const { dialect, statistics } = database
const state = await database.readPlanState()

const measured: { readonly points: number; readonly ms: number }[] = []
console.log('points      size     plan ms  statement ms  ms/point  bytes')
for (const [name, text] of Object.entries(operations)) {
  if (!name.includes(only)) continue
  const document = prepare(schema, text)
  const operation = findOperation(document, null)
  const variables = coerceVariables(schema, operation, {})
  const selection = { schema, fragments: document.fragments, variables }
  const build = () =>
    buildPlan(
      { version: '0.0.0', model, tables, maxPageSize: 1_000, selection, record: buildRecord },
      operation,
      {},
    )
  const plan = build()
  const points = costOf(plan)
  const times: number[] = []
  const planTimes: number[] = []
  let bytes = 0
  for (let run = 0; run < runs + 1; run += 1) {
    const started = performance.now()
    parse(text)
    const again = build()
    const constant = constantResponse(again, points)
    const emitter = createEmitter({ dialect, statistics, state, tables, list: emitList })
    const statement = constant === null ? emitStatement(emitter, again, points) : null
    const planned = performance.now()
    if (statement !== null) bytes = (await database.readAnswer(statement, { kind: 'short' })).body.length
    const took = performance.now() - planned
    if (run === 0 && took < patience) continue
    times.push(took)
    planTimes.push(planned - started)
    if (took > patience) break
  }
  const ms = median(times)
  measured.push({ points, ms })
  const figures = [
    String(points).padStart(6),
    String(sizeOf(plan)).padStart(9),
    median(planTimes).toFixed(2).padStart(11),
    ms.toFixed(2).padStart(13),
    (ms / points).toFixed(2).padStart(9),
    String(bytes).padStart(8),
  ]
  console.log(`${figures.join(' ')}  ${name}`)
}
const ratios = measured.map(({ points, ms }) => ms / points).toSorted((a, b) => a - b)
const at = (part: number): string => (ratios[Math.floor(part * (ratios.length - 1))] ?? 0).toFixed(2)
console.log(`ms per point: least ${at(0)}, median ${at(0.5)}, nine of ten ${at(0.9)}, most ${at(1)}`)
