/** Previews a rebuild for other lexicons, in one transaction that only reads. */
import { previewRebuild as preview, type PreviewOptions } from '../../metadata/preview.ts'
import type { RebuildReport } from '../../rebuild/rebuild-report.ts'
import { withClient } from '../connection.ts'
import { assertOurs, readState, recordText } from './migrate.ts'
import { runSteps } from '../steps.ts'

/** All rows are read, by a reader that may pause for long. */
const begin = `begin isolation level repeatable read read only; set local idle_in_transaction_session_timeout = 0`

export function previewRebuild(url: string, options: PreviewOptions): Promise<RebuildReport> {
  return withClient(url, 'read', async (client) => {
    const state = await readState(client)
    await assertOurs(client, state)
    if (state === null) throw new Error('it is empty.')
    await client.query(begin)
    return runSteps(client, preview(options, recordText))
  })
}
