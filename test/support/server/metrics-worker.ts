/** A worker that counts requests when it is told to, shares its metrics, and hangs or ends when told to. */
import { createMetrics } from '../../../src/server/observe/metrics.ts'
import { shareMetrics } from '../../../src/server/observe/metrics-workers.ts'
import { answered } from './answered.ts'

const { observer, registry } = createMetrics()
shareMetrics(registry)

process.on('message', (message) => {
  switch (message) {
    case 'count':
      observer.asked()
      observer.answered(answered())
      observer.asked()
      process.send?.('counted')
      break
    case 'hang':
      process.send?.('hanging')
      for (;;);
  }
})
process.send?.('ready')
