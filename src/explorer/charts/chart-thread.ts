/** The thread that draws charts. A chart that cannot be drawn is answered with the reason; the thread goes on. */
import { parentPort } from 'node:worker_threads'
import type { ChartOrder, ChartReply } from './chart-renderer.ts'
import { drawChart } from './draw-chart.ts'

parentPort?.on('message', ({ id, spec, layout }: ChartOrder) => {
  try {
    answer({ id, svg: drawChart(spec, layout), problem: null })
  } catch (error) {
    const problem = error instanceof Error ? (error.stack ?? error.message) : String(error)
    answer({ id, svg: null, problem })
  }
})
answer('ready')

function answer(reply: ChartReply | 'ready'): void {
  parentPort?.postMessage(reply)
}
