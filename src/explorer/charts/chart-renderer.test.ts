import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { chartSpec } from '../../../test/support/chart-spec.ts'
import { patience } from '../../../test/support/until.ts'
import { ServiceError } from '../../errors.ts'
import { type ChartRendererGiven, createChartRenderer } from './chart-renderer.ts'

const spec = (title: string, locale = 'en') => chartSpec({ title, locale })

function renderer(given: Partial<ChartRendererGiven> = {}) {
  const faults: string[] = []
  const onFault = (error: Error) =>
    faults.push(error instanceof ServiceError ? `${error.code}: ${error.message}` : error.message)
  return { faults, charts: createChartRenderer({ onFault, timeout: patience, ...given }) }
}

/** A thread that ends at some charts, never answers others, and says which thread it is. */
const fragile = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort, threadId } from 'node:worker_threads'
    parentPort.on('message', ({ id, spec }) => {
      if (spec.title === 'end') process.exit(1)
      if (spec.title === 'throw') throw new Error('out of order')
      if (spec.title === 'thread') parentPort.postMessage({ id, svg: String(threadId), problem: null })
      else if (spec.title !== 'silence') parentPort.postMessage({ id, svg: spec.title, problem: null })
    })
  `)}`,
)

test('a chart that cannot be drawn is none, and the next one is drawn', async () => {
  const { charts, faults } = renderer()
  await using _ = charts
  const [bad, good] = await Promise.all([
    charts.draw(spec('bad', 'no language'), 'wide'),
    charts.draw(spec('good'), 'wide'),
  ])
  assert.equal(bad, null)
  assert.match(good ?? '', /^<svg class="chart wide"/)
  assert.equal(faults.length, 1)
  assert.match(faults[0] ?? '', /RangeError/)
})

test('after a crash the thread is started again', async () => {
  const { charts, faults } = renderer({ module: fragile })
  await using _ = charts
  for (const title of ['end', 'throw']) {
    const both = [title, `behind ${title}`].map((each) => charts.draw(spec(each), 'wide'))
    const lost = await Promise.all(both)
    assert.deepEqual(lost, [null, null])
    assert.equal(await charts.draw(spec(`after ${title}`), 'wide'), `after ${title}`)
  }
  assert.ok(faults.includes('out of order'))
})

test('a chart that takes too long is none, and so are those behind it', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { charts, faults } = renderer({ module: fragile })
  await using _ = charts
  assert.equal(await charts.draw(spec('before'), 'wide'), 'before')
  const drawn = Promise.all([charts.draw(spec('silence'), 'wide'), charts.draw(spec('silence'), 'narrow')])
  t.mock.timers.tick(patience)
  assert.deepEqual(await drawn, [null, null])
  assert.deepEqual(faults, [`TIMEOUT: A chart was not drawn within ${patience} ms.`])
})

test('a thread that takes longer to start than a chart may goes on, and draws the next one', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { charts, faults } = renderer({ module: fragile })
  await using _ = charts
  const { threadId } = new Worker('', { eval: true })
  const drawn = Promise.all([charts.draw(spec('silence'), 'wide'), charts.draw(spec('silence'), 'narrow')])
  t.mock.timers.tick(patience)
  assert.deepEqual(await drawn, [null, null])
  assert.deepEqual(faults, Array(2).fill(`TIMEOUT: A chart was not drawn within ${patience} ms.`))
  assert.equal(await charts.draw(spec('thread'), 'wide'), String(threadId + 1))
})

test('charts beyond the queue are none', async () => {
  const { charts, faults } = renderer({ module: fragile, queue: 2 })
  await using _ = charts
  const drawn = await Promise.all(['a', 'b', 'c', 'a'].map((title) => charts.draw(spec(title), 'wide')))
  // The same chart again waits for the first.
  assert.deepEqual(drawn, ['a', 'b', null, 'a'])
  assert.deepEqual(faults, ['UNAVAILABLE: 2 charts wait to be drawn.'])
})

test('nothing is drawn of a chart without values', async () => {
  const { charts, faults } = renderer({ module: fragile })
  await using _ = charts
  const empty = { ...spec('x'), series: [{ name: 'x', values: [null], hrefs: [] }] }
  assert.equal(await charts.draw(empty, 'wide'), null)
  assert.deepEqual(faults, [])
})
