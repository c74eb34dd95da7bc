/** What opening a file is given besides its place: what its tables follow from, and who is told of a rebuild. */
import type { RebuildPolicy, RejectionJudge } from '../database.ts'
import type { RebuildProgress } from '../rebuild-progress.ts'
import type { RebuildReport } from '../rebuild-report.ts'
import type { WriterOptions } from './writer.ts'

export interface MigrateOptions extends WriterOptions {
  /** Of the lexicons: another one means that derived columns are stale. */
  readonly fingerprint: string
  /** Default: always. */
  readonly rebuild?: RebuildPolicy
  /** Judges refused records again when the lexicons have changed. Absent: they stay refused. */
  readonly judge?: RejectionJudge
  /** Told what a rebuild did, after it is committed. */
  readonly onRebuilt?: (report: RebuildReport) => void
  /** Told after each step of a rebuild. */
  readonly onProgress?: (progress: RebuildProgress) => void
}
