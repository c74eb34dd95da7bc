/** Adds what callers have used to the primary, for all nodes, by a connection that is open for that alone. */
import { addUsage } from '../kept/usage.ts'
import type { KeyUsage } from '../ledger.ts'
import { attemptOf, closeClient, connect } from './connection.ts'
import { refusal } from './failures.ts'
import { runSteps } from './steps.ts'

export async function addUsageToPrimary(
  url: string,
  usage: readonly KeyUsage[],
  today: number,
): Promise<void> {
  const client = await connect(url, 'write')
  try {
    await client.query('begin')
    await runSteps(client, addUsage(usage, today))
    await client.query('commit')
  } catch (error) {
    throw refusal(error, attemptOf(client))
  } finally {
    // What was not committed is undone with the connection.
    await closeClient(client)
  }
}
