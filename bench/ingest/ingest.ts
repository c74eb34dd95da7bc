/**
 * Following the network: events in a second while questions are answered, memory through a long life, and
 * the time from a write to the answer that has it. Prints tables, and all figures as one line of JSON.
 * Usage: node bench/ingest/ingest.ts [live] [memory] [latency] [--corpus FOLDER] [--seconds 20] [--events 1000000]
 * [--writes 500] [--source NAME]. FOLDER has *.jsonl or *.jsonl.gz of news records; without it the demo's are
 * taken. Streams are prepared once, which takes minutes, and kept in the folder for temporary files (2 GB).
 */
import { once } from 'node:events'
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { runProgram } from '../../test/network/service.ts'
import { readRecords } from '../support/corpus.ts'
import { measureWrites } from './latency.ts'
import { layouts, type LiveFigures, liveSources, measureLive, type Store } from './live.ts'
import { type Latency } from './load.ts'
import { measureMemory } from './memory.ts'
import { type CpuTimes, total } from './process.ts'
import { storedRecords } from './streams.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    corpus: { type: 'string' },
    seconds: { type: 'string', default: '20' },
    events: { type: 'string', default: '1000000' },
    writes: { type: 'string', default: '500' },
    source: { type: 'string' },
  },
})
const all = ['live', 'memory', 'latency']
const parts = positionals.length === 0 ? all : positionals
assertKnown('part', parts, all)
const names = liveSources.map(({ name }) => name)
assertKnown('source', values.source === undefined ? [] : [values.source], names)
const folder = values.corpus ?? null
const figures: Record<string, unknown> = {
  cpu: cpus()[0]?.model,
  cores: cpus().length,
  node: process.version,
}

const place = mkdtempSync(join(tmpdir(), 'lexigraph-bench-'))
try {
  if (parts.includes('live') || parts.includes('memory')) {
    const store = await fillStore(join(place, 'store.db'))
    if (parts.includes('live')) figures['live'] = await live(store)
    if (parts.includes('memory')) figures['memory'] = await memory(store)
  }
  if (parts.includes('latency')) figures['latency'] = await latency()
} finally {
  rmSync(place, { recursive: true })
}
console.log(JSON.stringify(figures))

/** A database of the first records of the corpus, which all runs start from. */
async function fillStore(file: string): Promise<Store> {
  const lines = join(place, 'records.jsonl')
  const out = createWriteStream(lines)
  let [written, uri] = [0, '']
  for await (const record of readRecords(folder)) {
    if (uri === '' && record.uri.includes('.article/')) uri = record.uri
    if (!out.write(`${JSON.stringify(record)}\n`)) await once(out, 'drain')
    written += 1
    if (written === storedRecords) break
  }
  out.end()
  await once(out, 'close')
  const { status, stderr } = await runProgram(['import', '--database', file, lines])
  if (status !== 0) throw new Error(`The records cannot be imported: ${stderr}`)
  rmSync(lines)
  return { file, uri, folder }
}

async function live(store: Store): Promise<readonly LiveFigures[]> {
  const wide = 'and the ingesting process, its threads'
  console.log('Computing is in milliseconds per event, which are seconds per thousand.')
  console.log(row('source', 'layout', 'events/s', 'p50 ms', 'p99 ms', 'max ms', 'feeder', wide))
  const figures: LiveFigures[] = []
  for (const source of liveSources) {
    if (values.source !== undefined && values.source !== source.name) continue
    for (const layout of source.kind === null ? layouts.slice(0, 1) : layouts) {
      const measured = await measureLive(source, layout, store, Number(values.seconds))
      figures.push(measured)
      const { eventsPerSecond, answers, cpu, events } = measured
      const each = (times: CpuTimes): string =>
        Object.entries(times)
          .map(([thread, time]) => `${thread} ${perEvent(time, events)}`)
          .join(', ')
      console.log(
        row(
          source.name,
          source.kind === null ? 'serve' : layout,
          eventsPerSecond.toFixed(0),
          ...milliseconds(answers),
          perEvent(total(cpu.feeder), events),
          `${perEvent(total(cpu.ingest), events)}: ${each(cpu.ingest)}`,
        ),
      )
    }
  }
  return figures
}

async function memory(store: Store): Promise<unknown> {
  console.log(row('events', 'seconds', 'RSS MB', 'no files', 'heap MB'))
  const measured = await measureMemory(store, Number(values.events), (sample) => {
    const { events, seconds, resident, anonymous, heap } = sample
    const numbers = [seconds, resident, anonymous, heap].map((number) => number.toFixed(0))
    console.log(row(events.toLocaleString('en'), ...numbers))
  })
  const { anonymousGrowth, heapGrowth, outcomes } = measured
  console.log(
    `last quarter / first: ${anonymousGrowth.toFixed(3)} without files, heap ${heapGrowth.toFixed(3)}`,
  )
  console.log(`outcomes: ${JSON.stringify(outcomes)}`)
  return measured
}

async function latency(): Promise<unknown> {
  const measured = await measureWrites(Number(values.writes), folder)
  console.log(row('from a write to the answer with it', '', '', 'p50 ms', 'p99 ms', 'max ms'))
  console.log(row('… after the PDS has answered', '', '', ...milliseconds(measured.afterAnswer)))
  console.log(row('… after the write was sent', '', '', ...milliseconds(measured.afterSending)))
  return measured
}

function assertKnown(what: string, given: readonly string[], known: readonly string[]): void {
  const unknown = given.find((name) => !known.includes(name))
  if (unknown !== undefined) throw new Error(`There is no ${what} "${unknown}"; known: ${known.join('; ')}.`)
}

function milliseconds({ p50, p99, max }: Latency): readonly string[] {
  return [p50, p99, max].map((value) => value.toFixed(1))
}

/** Seconds for a thousand are milliseconds for one. */
function perEvent(seconds: number, events: number): string {
  return events === 0 ? '–' : ((seconds * 1_000) / events).toFixed(3)
}

function row(first: string, ...others: readonly string[]): string {
  return [
    first.padEnd(14),
    ...others.map((cell, index) => (index === 0 ? cell.padEnd(15) : cell.padStart(9))),
  ].join(' ')
}
