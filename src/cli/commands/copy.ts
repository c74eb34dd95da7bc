/** `copy --from URL --to URL`: the progress on standard error, what was compared on standard output. */
import { SingleBar } from 'cli-progress'
import {
  type Comparison,
  compare,
  fill,
  haveSameCounts,
  type OnProgress,
} from '../../database/copy/database-copy.ts'
import { partsOf, titleOf } from '../../database/copy/parts.ts'
import { withoutPassword } from '../../database/postgres/url.ts'
import { type CommandContext, CommandError, notify } from '../command.ts'
import { lexiconDir, loadFoundation, openCopy, openCopySource } from '../foundation.ts'
import type { Config } from '../settings.ts'
import { renderTable } from '../table.ts'

export async function copy({ config, root }: CommandContext): Promise<number> {
  const { from, to } = config
  if (from === null || to === null)
    throw new CommandError(
      'copy needs two databases: --from sqlite:lexigraph.db --to postgres://USER@HOST/NAME; docs/moving.md says more.',
    )
  const foundation = await loadFoundation(lexiconDir(config, root))
  const { tables } = foundation
  const parts = partsOf(tables)
  await using source = await openCopySource(from, foundation)
  await using target = await openCopy(to, source, foundation)
  const served = new Set(tables.map(({ collection }) => collection.nsid))
  for (const nsid of await source.collections())
    if (!served.has(nsid))
      notify(config, `The records of ${nsid} stay behind: the lexicons no longer have this collection.`)
  using progress = showProgress(config)
  const start = performance.now()
  const refusal = new CommandError(
    `The database ${withoutPassword(to)} has records or other content, and not the same as ${source.name}. Name an empty one with --to.`,
  )
  if (!target.isWhole) await fillOrTell()
  else if (!(await haveSameCounts(source, target, parts))) throw refusal
  const copied = performance.now()
  const comparisons = await compare(source, target, parts, progress.update)
  const isSame = comparisons.every(({ differing }) => differing === 0)
  if (target.isWhole && !isSame) throw refusal
  if (isSame && !target.isWhole) await target.finish()
  progress[Symbol.dispose]()
  const took = { copying: copied - start, comparing: performance.now() - copied }
  process.stdout.write(config.json ? renderJson(comparisons, took) : render(comparisons, took))
  return isSame ? 0 : 1

  async function fillOrTell(): Promise<void> {
    try {
      await fill(source, target, parts, progress.update)
    } catch (error) {
      progress[Symbol.dispose]()
      notify(config, 'Not all is copied; the same command goes on from here.')
      throw error
    }
  }
}

/** Milliseconds. */
interface Took {
  readonly copying: number
  readonly comparing: number
}

function renderJson(comparisons: readonly Comparison[], { copying, comparing }: Took): string {
  const parts = comparisons.map(({ part, source, target, differing, first }) => ({
    name: titleOf(part),
    source,
    target,
    differing,
    first,
  }))
  const isSame = comparisons.every(({ differing }) => differing === 0)
  const seconds = { copying: rounded(copying), comparing: rounded(comparing) }
  return `${JSON.stringify({ same: isSame, parts, seconds })}\n`
}

function render(comparisons: readonly Comparison[], { copying, comparing }: Took): string {
  const different = comparisons.filter(({ differing }) => differing > 0)
  const table = renderTable(
    ['what', 'rows', 'digest'],
    comparisons.map(({ part, source, differing }) => [
      titleOf(part),
      source.rows,
      // Enough for comparing by eye; all of it is in the JSON.
      differing === 0 ? source.digest.slice(0, 16) : 'differs',
    ]),
  )
  if (different.length === 0)
    return `${table}\nBoth databases hold the same. Copying took ${rounded(copying)} s, comparing ${rounded(comparing)} s.\n`
  const differences = renderTable(
    ['differs', 'rows', 'in the copy', 'differing', 'first of them'],
    different.map(({ part, source, target, differing, first }) => [
      titleOf(part),
      source.rows,
      target.rows,
      differing,
      first ?? '',
    ]),
  )
  return `${table}\n${differences}\nThe copy is not the same, and stays unfinished; the same command again mends it.\n`
}

function rounded(milliseconds: number): number {
  return Math.round(milliseconds / 100) / 10
}

interface ProgressDisplay extends Disposable {
  readonly update: OnProgress
}

/** A bar where somebody watches, nothing elsewhere. */
function showProgress(config: Config): ProgressDisplay {
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
      const [rows, all] = [done.toLocaleString('en'), total.toLocaleString('en')]
      bar.update(done, { stage, what: titleOf(part), rows, all })
      // Indexes may keep this thread busy, so that nothing could move by itself.
      if (stage === 'indexing') bar.render()
    },
    [Symbol.dispose]: () => bar.stop(),
  }
}
