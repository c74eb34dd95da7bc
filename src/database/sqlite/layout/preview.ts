/** Previews the rebuild of a file for other lexicons, through a read-only connection. */
import { previewRebuild as preview, type PreviewOptions } from '../../metadata/preview.ts'
import type { RebuildReport } from '../../rebuild/rebuild-report.ts'
import { connect } from '../connection.ts'
import { assertOurs, isEmpty } from './layout.ts'
import { recordText } from './migrate.ts'
import { createRunner } from '../steps.ts'

export async function previewRebuild(path: string, options: PreviewOptions): Promise<RebuildReport> {
  const database = connect(path, true)
  try {
    if (isEmpty(database)) throw new Error('it is empty.')
    assertOurs(database)
    // One snapshot; closing ends it.
    database.exec('begin')
    return createRunner(database)(preview(options, recordText))
  } finally {
    database.close()
  }
}
