/** The child process that updates the database to these lexicons; its parent is not ready meanwhile. */
import { lexiconDir, loadProject, openStore } from '../store/project.ts'
import { assertStarted } from '../serve/rebuild-watch.ts'
import type { Config } from '../settings/settings.ts'

export interface PrepareTask {
  readonly config: Config
  readonly root: string
  /** Fingerprint of the lexicons that the service is about to use. */
  readonly fingerprint: string
}

/** Messages to the parent. Success is the exit status 0. */
export type FromPreparing =
  /** The work was permitted and may take long. */
  { readonly kind: 'working' } | { readonly kind: 'refused'; readonly message: string }

// Exiting rolls back the current step.
const abandoned = (): never => process.exit(1)
process.on('disconnect', abandoned)
process.once('message', async ({ config, root, fingerprint }: PrepareTask) => {
  try {
    const project = await loadProject(lexiconDir(config, new URL(root)))
    assertStarted(project, fingerprint)
    await using _store = await openStore(config, project, {
      onProgress: () => tell({ kind: 'working' }),
    })
  } catch (error) {
    if (config['log-level'] === 'debug') console.error(error)
    tell({ kind: 'refused', message: (error as Error).message })
  }
  process.off('disconnect', abandoned)
  process.disconnect()
})

function tell(message: FromPreparing): void {
  if (process.connected) process.send?.(message, undefined, {}, () => undefined)
}
