/**
 * Lexigraph beside what a user would pick instead, and beside what the hardware allows: the same records, the same
 * questions, one interleaved run. Figures go into a JSON file, and from there into docs/performance.md with its plots.
 * Usage: npm run bench -- [questions=Q1,Q5] [peers=postgraphile,mercurius|none] [systems=lexigraph-sqlite,…]
 *   [corpus=FOLDER] [seconds=2] [rounds=3] [out=FILE] [work=FOLDER] [postgres=URL] [growth=10] [page=no]
 * `node bench/compare/report/page.ts FILE` writes the page again from a file. Reads /proc, so it runs on Linux.
 */
import { writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { unpackPackage } from '../../build/unpack.ts'
import { countCorpus, openPostgres, type PostgresServer } from '../support/stores.ts'
import { measureGrowth } from './growth.ts'
import { parseOptions } from './options.ts'
import { chosen } from './questions.ts'
import { writePage } from './report/page.ts'
import { printTable } from './report/table.ts'
import type { Results } from './results.ts'
import { compare } from './run.ts'
import { openSystems } from './systems.ts'
import { measureWorkers } from './workers.ts'

const options = parseOptions(process.argv.slice(2))
const names = chosen(options.questions)
const corpus = await countCorpus(options.corpus)
await using disposables = new AsyncDisposableStack()
let server: Promise<PostgresServer> | undefined
const postgres = (): Promise<PostgresServer> => {
  server ??= openPostgres(options.postgres).then((opened) => disposables.use(opened))
  return server
}

const program = await unpackPackage(join(options.work, 'package'))
const systems = await openSystems({ options, corpus, postgres, program })
const run = await compare(systems, names, options)
const main = systems.find(({ name }) => name === 'lexigraph-sqlite')?.database ?? null
const workers = main === null ? null : await measureWorkers(main, options, program)
const growth = await measureGrowth(options, corpus, names, program)
const results: Results = {
  date: new Date().toISOString(),
  machine: {
    cpu: cpus()[0]?.model ?? '',
    cores: cpus().length,
    memory: totalmem(),
    node: process.version,
  },
  corpus: { records: corpus.records, articles: corpus.articles },
  seconds: options.seconds,
  rounds: options.rounds,
  ...run,
  workers,
  growth,
}
writeFileSync(options.out, `${JSON.stringify(results, null, 1)}\n`)
printTable(results)
if (options.page) writePage(results)
