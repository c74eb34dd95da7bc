/**
 * A thread that kills a process between two of its transactions: it looks at the file every few microseconds, so that it
 * gets between what belongs together, if anything can. Where it falls depends on the machine, and no verdict on that.
 */
import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { moment } from '../support/until.ts'

export interface Order {
  readonly pid: number
  /** How many transactions it may end, the first with events included. */
  readonly transactions: number
  /** How many looks after the last of them. */
  readonly after: number
}

/** Looks until the first events are stored, with a rest after each, and between transactions; then it is killed anyway. */
const firstLooks = 2_000
const looks = 10_000

const file = new DatabaseSync(workerData as string, { readOnly: true })
const version = file.prepare('pragma data_version')
const progress = file.prepare(
  `select (select total(records) from outcome) as records, group_concat(ifnull(cursor, event_at)) as places from source`,
)
const readVersion = (): unknown => version.get()?.data_version
const readProgress = (): string => JSON.stringify(progress.get())

parentPort?.on('message', async ({ pid, transactions, after }: Order) => {
  const before = readProgress()
  for (let left = firstLooks; left > 0 && readProgress() === before; left -= 1) await moment(1)
  for (let left = transactions - 1; left > 0; left -= 1) lookUntilChanged()
  for (let left = after; left > 0; left -= 1) readVersion()
  process.kill(pid, 'SIGKILL')
})

function lookUntilChanged(): void {
  const before = readVersion()
  for (let left = looks; left > 0 && readVersion() === before; left -= 1);
}
