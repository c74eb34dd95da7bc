/** Adds the usage of callers to the primary, for all nodes, over a connection that is opened for this alone. */
import { addUsage } from '../metadata/keys.ts'
import type { KeyUsage } from '../metadata/metadata-store.ts'
import { withClient } from './connection.ts'
import { runSteps } from './steps.ts'
import { within } from './write/transactions.ts'

export function addUsageToPrimary(url: string, usage: readonly KeyUsage[], today: number): Promise<void> {
  return withClient(url, 'write', (client) =>
    within(client, 'begin', () => runSteps(client, addUsage(usage, today))),
  )
}
