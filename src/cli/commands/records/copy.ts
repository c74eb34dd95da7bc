/** `copy --from URL --to URL`: progress on standard error, the comparison on standard output. */
import { UsageError } from '../../../errors.ts'
import { type PartComparison, compare, fill, haveSameCounts } from '../../../database/copy/database-copy.ts'
import { partsOf } from '../../../database/copy/parts.ts'
import { withoutPassword } from '../../../database/postgres/url.ts'
import { type CommandContext, CommandError, notify } from '../../command.ts'
import {
  describeComparisons,
  isSameThroughout,
  renderComparisons,
  roundedSeconds,
} from '../../store/comparisons.ts'
import { lexiconDir, loadProject, openCopy, openCopySource } from '../../store/project.ts'
import { showProgress } from '../../progress-bar.ts'

export async function copy({ config, root }: CommandContext): Promise<number> {
  const { from, to } = config
  if (from === null || to === null)
    throw new UsageError(
      'copy needs two databases: --from sqlite:lexigraph.db --to postgres://USER@HOST/NAME; docs/moving.md says more.',
    )
  const project = await loadProject(lexiconDir(config, root))
  const { tables } = project
  const parts = partsOf(tables)
  await using source = await openCopySource(from, project)
  await using target = await openCopy(to, source, project)
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
  const isSame = isSameThroughout(comparisons)
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

function renderJson(comparisons: readonly PartComparison[], { copying, comparing }: Took): string {
  const same = isSameThroughout(comparisons)
  const seconds = { copying: roundedSeconds(copying), comparing: roundedSeconds(comparing) }
  return `${JSON.stringify({ same, parts: describeComparisons(comparisons), seconds })}\n`
}

function render(comparisons: readonly PartComparison[], { copying, comparing }: Took): string {
  const tables = renderComparisons(comparisons, 'in the copy')
  const [copied, compared] = [roundedSeconds(copying), roundedSeconds(comparing)]
  return isSameThroughout(comparisons)
    ? `${tables}\nBoth databases hold the same. Copying took ${copied} s, comparing ${compared} s.\n`
    : `${tables}\nThe copy is not the same, and stays unfinished; the same command again mends it.\n`
}
