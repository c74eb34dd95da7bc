/** Updates a database to these lexicons in a child process, which may be stopped: completed steps are not lost. */
import { fork } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { siblingModule } from '../../util/sibling-module.ts'
import { CommandError, type CommandContext } from '../command.ts'
import type { ProjectContext } from '../store/project.ts'
import type { FromPreparing, PrepareTask } from './prepare-child.ts'

export type Preparation = Awaited<ReturnType<typeof startPreparation>>

/** Milliseconds to wait for permission before callers are told that the service is not ready. */
const permissionTimeout = 1_000

/** Resolves when the work has begun or is done, or after a timeout; rejects when it is refused at once. */
export async function startPreparation({ config, root }: CommandContext, { lexicons }: ProjectContext) {
  const child = fork(siblingModule(import.meta.url, 'prepare-child'), {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  child.stderr?.on('data', (text: Buffer) => process.stderr.write(text))
  const working = Promise.withResolvers<void>()
  const ready = Promise.withResolvers<void>()
  let refusal: string | null = null
  child.on('message', (message: FromPreparing) => {
    if (message.kind === 'working') working.resolve()
    else refusal = message.message
  })
  child.on('error', ready.reject)
  child.on('close', (status, signal) => {
    if (refusal !== null) ready.reject(new CommandError(refusal))
    else if (status === 0) ready.resolve()
    else {
      const how = signal === null ? `with status ${status}` : `by ${signal}`
      ready.reject(new CommandError(`The rebuild ended ${how}. Start again: it goes on where it was.`))
    }
  })
  const task: PrepareTask = { config, root: root.href, fingerprint: lexicons.fingerprint }
  child.send(task, () => undefined)
  const permitted = Promise.race([working.promise, ready.promise])
  await Promise.race([permitted, pause(permissionTimeout, undefined, { ref: false })])
  // During shutdown nobody awaits these promises.
  ready.promise.catch(() => undefined)
  permitted.catch(() => undefined)
  return {
    /** Resolves when the work was permitted and has begun, or is done; rejects like `ready`. */
    permitted,
    /** Resolves when the database is ready; rejects with a `CommandError` if it cannot be. */
    ready: ready.promise,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await ready.promise.catch(() => undefined)
    },
  }
}
