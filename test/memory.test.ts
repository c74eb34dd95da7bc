/** Memory after many different requests; bench/serving/soak-memory.ts is the long form, over HTTP. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { fileURLToPath } from 'node:url'
import { buildDemoCorpus } from '../demo/corpus.ts'
import { buildTables } from '../src/database/layout/tables.ts'
import { deriveRow } from '../src/database/derive.ts'
import { openDatabase } from '../src/database/open.ts'
import { loadLexicons } from '../src/lexicon/load.ts'
import { createRecordReader } from '../src/lexicon/records/validate.ts'
import { createEngine } from '../src/query/execute/engine.ts'
import { buildModel } from '../src/schema/model/build-model.ts'
import { buildGraphQLSchema } from '../src/schema/graphql/graphql.ts'
import { rounds } from './support/rounds.ts'
import { requestNumber } from './support/service/requests.ts'

const warmUp = 1_000
const requests = rounds(2_500)
/** Fills the caches before the first measurement: more than they hold passes through them many times. */
const comment = `# ${'long '.repeat(4_000)}\n`
const bound = 8 * 1024 * 1024

test('thousands of different requests, a third of them refused, leave the memory as the first left it', async () => {
  await using service = await openDemo()
  let cursor: string | null = null
  let refused = 0
  const ask = async (n: number): Promise<void> => {
    const { query, ...rest } = requestNumber(n, cursor)
    const answer = await service.engine.execute({ ...rest, query: comment + query })
    if (answer.kind === 'errors') {
      refused += 1
      assert.notEqual(answer.code, 'INTERNAL', String(answer.cause))
    } else cursor = /"endCursor":"([^"]+)"/.exec(Buffer.from(answer.body).toString())?.[1] ?? cursor
  }
  for (let n = 0; n < warmUp; n += 1) await ask(n)
  const before = heapUsed()
  for (let n = warmUp; n < requests; n += 1) await ask(n)
  const growth = heapUsed() - before
  assert.ok(refused > requests / 4, `${refused} were refused.`)
  assert.ok(growth < bound, `The heap has grown by ${growth} bytes.`)
})

async function openDemo() {
  const loaded = await loadLexicons(fileURLToPath(new URL('../lexicons', import.meta.url)))
  assert.ok(loaded.ok)
  const { lexicons } = loaded
  const model = buildModel(lexicons)
  const tables = buildTables(model)
  const database = await openDatabase('sqlite::memory:', {
    tables,
    fingerprint: lexicons.fingerprint,
    check: () => null,
    now: () => BigInt(Date.now()) * 1000n,
  })
  const read = createRecordReader(lexicons)
  const changes = [...buildDemoCorpus()].map((line) => {
    const reading = read(JSON.parse(JSON.stringify(line)))
    assert.ok(reading.ok)
    const table = tables.find(({ collection }) => collection.nsid === reading.record.collection)
    assert.ok(table)
    return { kind: 'put' as const, ...reading.record, ...deriveRow(table, reading.record.value) }
  })
  await database.write.applyBatch(changes)
  const schema = buildGraphQLSchema(model)
  const engine = createEngine({ schema, model, tables, database: database.read, version: '0.0.0' })
  return { engine, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() }
}

/** After garbage collection, which a test may ask for without a flag on the command line. */
function heapUsed(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  collect()
  return process.memoryUsage().heapUsed
}
