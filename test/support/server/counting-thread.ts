/** A thread that counts for another, has counted 1,000 points of one caller already, and marks when it has answered. */
import { parentPort, workerData } from 'node:worker_threads'
import { answerLimits, type LimitQuestion } from '../../../src/server/admission/limits/remote-counts.ts'
import { createCounts, MemoryPoints } from '../../../src/server/admission/limits/counts.ts'

const counts = createCounts(new MemoryPoints())
const answered: Int32Array = workerData
const asker = answerLimits(counts)((answer) => {
  parentPort?.postMessage(answer)
  Atomics.store(answered, 0, 1)
  Atomics.notify(answered, 0)
})
await counts.points.take('key:known', 1_200, 1_000, 1_000)
parentPort?.on('message', (question: LimitQuestion) => asker.ask(question))
