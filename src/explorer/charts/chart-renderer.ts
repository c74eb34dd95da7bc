/**
 * Draws charts in a thread, because a chart takes milliseconds that short requests would wait for. The thread starts
 * with the first chart, ends when nothing has been drawn for a while, and is started again after a crash.
 */
import { Worker } from 'node:worker_threads'
import { LRUCache } from 'lru-cache'
import { ServiceError } from '../../errors.ts'
import { siblingModule } from '../../util/sibling-module.ts'
import { type ChartSpec, isDrawn, isTooLarge, type Layout } from './chart-spec.ts'

export interface ChartOrder {
  readonly id: number
  readonly spec: ChartSpec
  readonly layout: Layout
}

export interface ChartReply {
  readonly id: number
  readonly svg: string | null
  readonly problem: string | null
}

export interface ChartRenderer extends AsyncDisposable {
  /** SVG text; null if there is nothing to draw, too much, or the chart failed: its data table then has to do. */
  draw(spec: ChartSpec, layout: Layout): Promise<string | null>
}

export interface ChartRendererGiven {
  /** Called with the reason why a chart failed: a ServiceError where readers ask for more than can be drawn. */
  readonly onFault: (error: Error) => void
  /** A module that answers orders with replies; by default the one that draws. */
  readonly module?: URL
  /** Milliseconds after which a chart has failed, waiting included. */
  readonly timeout?: number
  /** Charts that may wait; further ones fail at once. */
  readonly queue?: number
}

/** Characters of SVG that are kept. */
const cacheSize = 16_000_000
/** Milliseconds that the thread may take to start. */
const longestStart = 60_000
/** Milliseconds without a chart after which the thread ends, and gives back its memory. */
const idleTime = 60_000

export function createChartRenderer({
  onFault,
  module = siblingModule(import.meta.url, 'chart-thread'),
  timeout = 5_000,
  queue = 200,
}: ChartRendererGiven): ChartRenderer {
  const drawn = new LRUCache<string, string>({ maxSize: cacheSize, sizeCalculation: (svg) => svg.length + 1 })
  const drawing = new Map<string, Promise<string | null>>()
  const thread = createDrawingThread({ onFault, module, timeout, queue })
  return {
    async draw(spec, layout) {
      if (!isDrawn(spec) || isTooLarge(spec)) return null
      const key = JSON.stringify([layout, spec])
      const known = drawn.get(key)
      if (known !== undefined) return known
      const under = drawing.get(key) ?? thread.order(spec, layout).finally(() => drawing.delete(key))
      drawing.set(key, under)
      const svg = await under
      if (svg !== null) drawn.set(key, svg)
      return svg
    },
    [Symbol.asyncDispose]: thread.end,
  }
}

function createDrawingThread({ onFault, module, timeout, queue }: Required<ChartRendererGiven>) {
  const waiting = new Map<number, { resolve: (svg: string | null) => void; timer: NodeJS.Timeout }>()
  let thread: Worker | null = null
  /** When the thread was started; null once it has loaded its module, which takes a busy machine longer than a chart may. */
  let startedAt: number | null = null
  let idle: NodeJS.Timeout | undefined
  let lastId = 0
  return { order, end }

  function order(spec: ChartSpec, layout: Layout): Promise<string | null> {
    if (waiting.size >= queue) {
      onFault(new ServiceError('UNAVAILABLE', `${waiting.size} charts wait to be drawn.`))
      return Promise.resolve(null)
    }
    clearTimeout(idle)
    const id = ++lastId
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        onFault(new ServiceError('TIMEOUT', `A chart was not drawn within ${timeout} ms.`))
        // The thread draws one chart after the other, so the one that takes too long is the oldest.
        if (startedAt === null || performance.now() - startedAt > longestStart) void end()
        else settle(id, null)
      }, timeout)
      waiting.set(id, { resolve, timer })
      thread ??= start()
      thread.ref()
      thread.postMessage({ id, spec, layout } satisfies ChartOrder)
    })
  }

  function start(): Worker {
    const started = new Worker(module, { resourceLimits: { maxOldGenerationSizeMb: 256 } })
    startedAt = performance.now()
    started.on('message', (reply: ChartReply | 'ready') => {
      if (thread === started) startedAt = null
      if (reply === 'ready') return
      const { id, svg, problem } = reply
      if (problem !== null) onFault(new Error(`A chart could not be drawn: ${problem}`))
      settle(id, svg)
    })
    started.on('error', onFault)
    started.on('exit', () => {
      if (thread === started) fail()
    })
    return started
  }

  function settle(id: number, svg: string | null): void {
    const one = waiting.get(id)
    waiting.delete(id)
    clearTimeout(one?.timer)
    one?.resolve(svg)
    if (waiting.size > 0) return
    // A thread without work does not keep the process alive.
    thread?.unref()
    clearTimeout(idle)
    idle = setTimeout(() => void end(), idleTime).unref()
  }

  function fail(): void {
    thread = null
    for (const id of waiting.keys()) settle(id, null)
  }

  async function end(): Promise<void> {
    clearTimeout(idle)
    const ended = thread
    fail()
    await ended?.terminate()
  }
}
