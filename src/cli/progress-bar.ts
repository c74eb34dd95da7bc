/** Shows the progress of a copy, a backup or a restoration. */
import { SingleBar } from 'cli-progress'
import type { OnProgress } from '../database/copy/database-copy.ts'
import { titleOf } from '../database/copy/parts.ts'
import type { Config } from './settings/settings.ts'
import { grouped } from '../util/text/counted.ts'

export interface ProgressDisplay extends Disposable {
  readonly update: OnProgress
}

/** A bar on a terminal, nothing elsewhere. */
export function showProgress(config: Config): ProgressDisplay {
  const watched = process.stderr.isTTY && ['info', 'debug'].includes(config['log-level'])
  if (!watched) return { update: () => {}, [Symbol.dispose]: () => {} }
  const bar = new SingleBar({
    stream: process.stderr,
    format: '{bar} {percentage} % | {stage} {what} | {rows} of {all} rows | {eta_formatted} left',
    clearOnComplete: true,
    hideCursor: true,
    fps: 5,
  })
  bar.start(1, 0, { stage: '', what: '', rows: '0', all: '0' })
  return {
    update: ({ stage, part, done, total }) => {
      bar.setTotal(Math.max(total, 1))
      const [rows, all] = [grouped(done), grouped(total)]
      bar.update(done, { stage, what: titleOf(part), rows, all })
      // Building indexes may block this thread, so that the bar's timer cannot redraw it.
      if (stage === 'indexing') bar.render()
    },
    [Symbol.dispose]: () => bar.stop(),
  }
}
