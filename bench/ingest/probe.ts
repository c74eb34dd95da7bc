/**
 * Imported into the program that is measured: tells which process it is, and on a signal how much heap its
 * threads hold after a collection of garbage, worker threads included.
 */
import { BroadcastChannel, isMainThread } from 'node:worker_threads'

const channel = new BroadcastChannel('lexigraph-bench')
channel.unref()
const onMessage = (listener: (data: unknown) => void): void =>
  channel.addEventListener('message', (event) => listener((event as MessageEvent).data))
const heap = (): number => {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}

if (isMainThread) {
  process.stderr.write(`probe: process ${process.pid}\n`)
  let [asked, sum] = [0, 0]
  onMessage((data) => {
    if (typeof data === 'number') sum += data
  })
  process.on('SIGUSR2', () => {
    asked += 1
    sum = heap()
    channel.postMessage('heap')
    // Threads answer between two pieces of work.
    setTimeout(() => process.stderr.write(`probe: heap ${asked} ${sum}\n`), 1_000)
  })
} else {
  onMessage((data) => {
    if (data === 'heap') channel.postMessage(heap())
  })
}
