/**
 * A thread that kills a process between two of its transactions: it looks at the file every few microseconds,
 * so that it gets between what belongs together, if anything can.
 */
import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'

export interface Order {
  readonly pid: number
  /** How many transactions it may end, the first with events included. */
  readonly transactions: number
  /** How long after the last of them, in milliseconds. */
  readonly after: number
}

/** Milliseconds until the first events are stored, and between transactions; then it is killed anyway. */
const warmUp = 3_000
const pause = 50

const file = new DatabaseSync(workerData as string, { readOnly: true })
const version = file.prepare('pragma data_version')
const progress = file.prepare(
  `select (select total(records) from outcome) as records, group_concat(ifnull(cursor, event_at)) as places from source`,
)
const readVersion = (): unknown => version.get()?.data_version
const readProgress = (): string => JSON.stringify(progress.get())

parentPort?.on('message', ({ pid, transactions, after }: Order) => {
  untilChanged(readProgress, warmUp, 0.2)
  for (let left = transactions - 1; left > 0; left -= 1) untilChanged(readVersion, pause, 0)
  const moment = performance.now() + after
  while (performance.now() < moment);
  process.kill(pid, 'SIGKILL')
})

const clock = new Int32Array(new SharedArrayBuffer(4))

/** `sleep`: milliseconds between two looks. */
function untilChanged(look: () => unknown, patience: number, sleep: number): void {
  const end = performance.now() + patience
  const before = look()
  while (look() === before && performance.now() < end) if (sleep > 0) Atomics.wait(clock, 0, 0, sleep)
}
