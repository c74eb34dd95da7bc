/**
 * Answers what cost-search.ts asks, in a process that can be killed: what it costs in points and in milliseconds of CPU.
 * A question that takes long runs here too, and not in a process of its own.
 */
import { unlimited } from '../../src/query/execute/execute.ts'
import { cpuMeter, runningHere } from '../support/cpu-time.ts'
import { openEngine } from '../support/engine.ts'

/** Shape of a question. */
export interface Asked {
  readonly text: string
  readonly variables: Readonly<Record<string, unknown>>
}

/** `points` is sent as soon as it is known; `cpu` in milliseconds, of the database server too. */
export type Reported =
  | { readonly kind: 'ready' }
  | { readonly kind: 'points'; readonly points: number }
  | { readonly kind: 'answered'; readonly points: number; readonly cpu: number; readonly outcome: string }

/** What anonymous callers may ask. */
const anonymous = { ...unlimited, pageSize: 100, points: 250 }

const [url = ''] = process.argv.slice(2)
const { engine, database } = await openEngine(url, runningHere)
const cpuOf = await cpuMeter(database)

process.on('message', async ({ text, variables }: Asked) => {
  const size = Buffer.byteLength(JSON.stringify({ query: text, variables }))
  // As src/server/graphql/graphql-routes.ts charges for bodies.
  let points = 1 + Math.max(0, Math.ceil((size - 4_000) / 1_000))
  const charge = (asked: number): void => {
    points = Math.max(points, asked)
    report({ kind: 'points', points })
  }
  let answer: Awaited<ReturnType<typeof engine.execute>> | undefined
  const cpu = await cpuOf(async () => {
    answer = await engine.execute({ query: text, variables }, { ...anonymous, charge })
  })
  if (answer === undefined) throw new Error('There is no answer.')
  const outcome =
    answer.kind === 'data'
      ? `${answer.body.length} bytes`
      : `${answer.code}: ${answer.errors[0]?.message.slice(0, 80)}`
  report({ kind: 'answered', points, cpu, outcome })
})
// Its parent ends it, after what it was asked last.
process.on('SIGTERM', () => {})
report({ kind: 'ready' })

function report(message: Reported): void {
  process.send?.(message)
}
