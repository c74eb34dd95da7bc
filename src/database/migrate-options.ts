/** Options of every engine for migrating a database to the lexicons in force. */
import type { RebuildPolicy, RejectionJudge } from './database.ts'
import type { RebuildProgress, RebuildReport } from './rebuild/rebuild-report.ts'
import type { ApplierOptions } from './write/applier.ts'

export interface MigrateOptions extends ApplierOptions {
  /** The fingerprint of the lexicons: a different one means that derived columns are stale. */
  readonly fingerprint: string
  /** The collections of an empty database that will be small (layout/shards.ts). Absent: none is known to be. */
  readonly small?: ReadonlySet<string>
  /** What to do with a database that was built with other lexicons. Default: always. */
  readonly rebuild?: RebuildPolicy
  /** Validates refused records again when the lexicons have changed. Absent: they stay refused. */
  readonly judge?: RejectionJudge
  /** Called when an empty database was laid out, before the commit. */
  readonly onCreated?: () => void
  /** Called with the report of a rebuild after its commit. */
  readonly onRebuilt?: (report: RebuildReport) => void
  /** Called after each step of a rebuild. */
  readonly onProgress?: (progress: RebuildProgress) => void
}
