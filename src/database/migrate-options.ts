/** What every engine is given to write records, and to bring a database to the lexicons in force. */
import type { RebuildPolicy, RecordCheck, RejectionJudge } from './database.ts'
import type { Retention } from './metadata/expiry.ts'
import type { RebuildProgress } from './rebuild/rebuild-progress.ts'
import type { RebuildReport } from './rebuild/rebuild-report.ts'
import type { Table } from './layout/tables.ts'

export interface ApplierOptions {
  readonly tables: readonly Table[]
  /** Microseconds since 1970. */
  readonly now: () => bigint
  /** Judges kept records by the lexicons in force. */
  readonly check: RecordCheck
  /** How long records are kept; absent: for good. */
  readonly retention?: Retention
}

export interface MigrateOptions extends ApplierOptions {
  /** Of the lexicons: another one means that derived columns are stale. */
  readonly fingerprint: string
  /** What becomes of a database that was built with other lexicons. Default: always. */
  readonly rebuild?: RebuildPolicy
  /** Judges refused records again when the lexicons have changed. Absent: they stay refused. */
  readonly judge?: RejectionJudge
  /** Told what a rebuild did, after it is committed. */
  readonly onRebuilt?: (report: RebuildReport) => void
  /** Told after each step of a rebuild. */
  readonly onProgress?: (progress: RebuildProgress) => void
}
