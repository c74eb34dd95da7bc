/** Memory after many different requests; bench/serving/soak-memory.ts is the long form, over HTTP. */
import assert from 'node:assert/strict'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { buildDemoCorpus } from '../demo/corpus.ts'
import { newsLexicons } from './golden/corpora.ts'
import { longTest, rounds } from './support/rounds.ts'
import { requestNumber } from './support/service/requests.ts'
import { openTestService } from './support/service/service.ts'

const warmUp = rounds(600)
const requests = rounds(1_500)
/** Fills the caches before the first measurement: more than they hold passes through them many times. */
const comment = `# ${'long '.repeat(4_000)}\n`
const bound = 8 * 1024 * 1024

longTest(
  'thousands of different requests, a third of them refused, leave the memory as the first left it',
  {},
  async () => {
    await using service = await openTestService({
      lexicons: newsLexicons.documents,
      references: newsLexicons.references,
      records: [...buildDemoCorpus()],
    })
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
  },
)

/** After garbage collection, which a test may ask for without a flag on the command line. */
function heapUsed(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  collect()
  return process.memoryUsage().heapUsed
}
