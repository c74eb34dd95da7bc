/** The process that brings the database to these lexicons while the one that started it answers that it is not ready. */
import { lexiconDir, loadProject, openStore } from '../store/project.ts'
import { assertStarted } from '../serve/rebuild-watch.ts'
import type { Config } from '../settings/settings.ts'

export interface PrepareTask {
  readonly config: Config
  /** The package's folder. */
  readonly root: string
  /** Of the lexicons by which the service is about to answer. */
  readonly fingerprint: string
}

/** What it says. That it is done, its end says, with status 0. */
export type FromPreparing =
  /** What it does may take long. */
  { readonly kind: 'working' } | { readonly kind: 'refused'; readonly message: string }

// A step that has begun is undone.
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
