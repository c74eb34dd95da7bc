/** Shows progress on terminals. */
import { SingleBar } from 'cli-progress'
import type { OnProgress } from '../database/copy/database-copy.ts'
import { titleOf } from '../database/copy/parts.ts'
import { isLogged } from './command.ts'
import type { Config } from './settings/settings.ts'
import { grouped } from '../util/text/counted.ts'

/** A bar on a terminal, null elsewhere. `initial` has a value for each placeholder of the format. */
export function startBar(config: Config, format: string, total: number, initial: object) {
  if (!process.stderr.isTTY || !isLogged(config, 'info')) return null
  const bar = new SingleBar({
    stream: process.stderr,
    format,
    clearOnComplete: true,
    hideCursor: true,
    fps: 5,
  })
  bar.start(total, 0, initial)
  return Object.assign(bar, { [Symbol.dispose]: () => bar.stop() })
}

export function showProgress(config: Config): Disposable & { readonly update: OnProgress } {
  const format = '{bar} {percentage} % | {stage} {what} | {rows} of {all} rows | {eta_formatted} left'
  const bar = startBar(config, format, 1, { stage: '', what: '', rows: '0', all: '0' })
  return {
    update: ({ stage, part, done, total }) => {
      bar?.setTotal(Math.max(total, 1))
      bar?.update(done, { stage, what: titleOf(part), rows: grouped(done), all: grouped(total) })
      // Building indexes may block this thread, so that the bar's timer cannot redraw it.
      if (stage === 'indexing') bar?.render()
    },
    [Symbol.dispose]: () => bar?.stop(),
  }
}
