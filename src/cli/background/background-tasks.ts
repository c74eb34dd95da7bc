/** Runs the background work of `serve`: first the database is updated to its lexicons, then sources are followed. */
import type { CommandContext } from '../command.ts'
import type { BackgroundIngest } from './background-ingest.ts'
import type { Preparation } from './preparation.ts'

export interface BackgroundTasks extends BackgroundIngest {
  /** Whether the database is not ready yet. */
  readonly awaits: boolean
}

export async function startBackgroundTasks(
  context: CommandContext,
  preparation: Preparation | null,
): Promise<BackgroundTasks> {
  const refusal = new AbortController()
  let awaits = preparation !== null
  let isOver = false
  let ingest: BackgroundIngest | null = null
  const follow = async (): Promise<void> => {
    awaits = false
    if (isOver) return
    ingest = await startIngest(context)
    const refused = ingest?.refused
    refused?.addEventListener('abort', () => refusal.abort(refused.reason))
  }
  const following =
    preparation === null
      ? await follow()
      : preparation.ready.then(follow).catch((error: unknown) => refusal.abort(error))
  return {
    get awaits() {
      return awaits
    },
    refused: refusal.signal,
    restart: () => ingest?.restart(),
    [Symbol.asyncDispose]: async () => {
      isOver = true
      await preparation?.[Symbol.asyncDispose]()
      await following
      await ingest?.[Symbol.asyncDispose]()
    },
  }
}

/** Null, without loading the ingest modules, when no sources are followed and no retention is set. */
async function startIngest(context: CommandContext): Promise<BackgroundIngest | null> {
  const { ingest: from, retain } = context.config
  return from === null && retain === null
    ? null
    : (await import('./background-ingest.ts')).ingestInBackground(context, from)
}
