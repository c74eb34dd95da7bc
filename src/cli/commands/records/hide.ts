/** `hide`: removes records from every answer, shows them again (`--undo`), and lists what was hidden (`--list`). */
import { counted } from '../../../util/text/counted.ts'
import type { Hiding } from '../../../database/metadata/metadata-store.ts'
import type { MetadataStore } from '../../../database/metadata/sql-metadata-store.ts'
import { UsageError } from '../../../errors.ts'
import { formatInstant, instantText } from '../../../util/instant.ts'
import { finishDespiteClosedPipe } from '../../closed-pipe.ts'
import { type CommandContext, CommandError, print, printJson } from '../../command.ts'
import {
  assertWritten,
  busily,
  findHiding,
  inSteps,
  operatorOf,
  parseOperand,
  reasonOf,
  settleStories,
  unserved,
} from '../../store/curation.ts'
import { lexiconDir, loadProject, openExistingBeside, openExistingStore } from '../../store/project.ts'
import { renderTable } from '../../table.ts'
import { readHidings } from '../../../database/metadata/hidings.ts'

export async function hide(context: CommandContext): Promise<void> {
  const { config, operands, root } = context
  const { list, undo } = config
  const [text] = operands
  if (list === (text !== undefined)) throw new UsageError('hide needs URI|DID, or --list without one.')
  if (text === undefined) return await listHidings(context)
  const subject = parseOperand(text)
  const reason = undo ? '' : reasonOf('hide', config)
  const operator = operatorOf(config)
  const project = await loadProject(lexiconDir(config, root))
  await using database = await openExistingBeside(config, project)
  const { metadata } = database.write
  if (!undo) await assertWritten(text, subject, metadata)
  const known = await findHiding(text, database.read)
  const records = undo
    ? await metadata.unhide(text, operator)
    : await metadata.hide({ subject: text, reason, hiddenBy: operator })
  if (records === null) {
    if (!undo) print(known === undefined ? `${text} is hidden already.` : alreadyHidden(known))
    await settle(metadata)
    if (undo) throw new CommandError(`${text} is not hidden; \`lexigraph hide --list\` lists what is.`)
    return
  }
  print(`${text} is ${undo ? 'no longer ' : ''}hidden.${unserved(subject, project)}`)
  await settle(metadata, text)
  print(`${counted(records, 'record')} ${undo ? 'came back to' : 'left'} the answers.`)
  if (undo && known?.purge != null)
    print(
      `It was purged. Its records come back with \`lexigraph backfill ${subject.did}\` from the network, or with \`lexigraph import FILE\` from a file.`,
    )
}

async function listHidings({ config, root }: CommandContext): Promise<void> {
  await using database = await openExistingStore(config, await loadProject(lexiconDir(config, root)))
  const hidings = await database.readSteps(readHidings)
  if (config.json)
    for (const { purge, hiddenAt, shownAt, ...rest } of hidings)
      printJson({ ...rest, purge, hiddenAt, shownAt })
  else if (hidings.length === 0) print('Nothing has been hidden.')
  else process.stdout.write(asTable(hidings))
}

/**
 * Moves rows of hidden accounts, and derives stories. The rows are invisible even before, so this may take long. It
 * includes rows of other accounts, whose move by another command or by an ingesting process may have been interrupted.
 */
function settle(metadata: MetadataStore, subject = ''): Promise<void> {
  return finishDespiteClosedPipe(async () => {
    const left = await busily(() => metadata.countRowsToMove(subject))
    if (left > 0)
      print(`${counted(left, 'row')} ${left === 1 ? 'was' : 'were'} left to be moved by an earlier command.`)
    await inSteps((rows) => metadata.settleAccounts(rows))
    await settleStories(metadata)
  })
}

function alreadyHidden({ subject, hiddenAt, hiddenBy, reason, purge }: Hiding): string {
  const purged = purge === null ? '' : `\nIt has been purged since ${formatInstant(purge.purgedAt)}.`
  return `${subject} has been hidden since ${formatInstant(hiddenAt)} by ${hiddenBy}: ${reason}${purged}`
}

function asTable(hidings: readonly Hiding[]): string {
  return renderTable(
    ['subject', 'hidden at', 'by', 'shown again at', 'by', 'purged at', 'by', 'reason'],
    hidings.map(({ subject, hiddenAt, hiddenBy, shownAt, shownBy, reason, purge }) => [
      subject,
      formatInstant(hiddenAt),
      hiddenBy,
      instantText(shownAt) ?? '–',
      shownBy ?? '–',
      instantText(purge?.purgedAt ?? null) ?? '–',
      purge?.purgedBy ?? '–',
      purge === null || purge.reason === reason ? reason : `${reason}; purged: ${purge.reason}`,
    ]),
  )
}
