/** Describes a name: the records that have it, as a table, those with the most records that refer to them first. */
import { fitRows } from '../../words/budget.ts'
import { tokensOfJson } from '../../words/tokens.ts'
import { collectionsFor, findNames, isTitled } from '../../names/find-names.ts'
import type { NamedRecord } from '../../names/candidates.ts'
import { AskError } from '../../../ask/ask-error.ts'
import type { Json } from '../../../util/is-object.ts'
import { parsePosition, present, printPosition, sharedPrefix, type Toolbox } from '../toolbox.ts'

/** Records of one answer. */
const mostShown = 20

export async function describeName(
  given: string,
  collection: string | undefined,
  after: string | undefined,
  toolbox: Toolbox,
): Promise<Json> {
  const { catalogue, budget } = toolbox
  const name = given.trim()
  if (name === '') throw new AskError('Write the name to look for.')
  const start = parsePosition(after)
  const subjects = collection === undefined ? collectionsFor(name, catalogue) : [catalogue.named(collection)]
  let asOf: string | null = null
  const { found, isCapped } = await findNames(name, subjects, async (selection) => {
    const read = await toolbox.read(selection)
    // The first of several states, so that the answer claims nothing that a later one may lack.
    asOf ??= read.asOf
    return read.data
  })
  const total = found.length
  const titled = subjects.filter((subject) => isTitled(subject, subjects)).map(({ label }) => label)
  const hint = total === 0 ? nothingAlike(titled) : isCapped ? tooMany : ''
  const best = found.slice(start, start + mostShown)
  const prefix = sharedPrefix(best.map(({ uri }) => uri))
  const columns = columnsOf(best, prefix)
  const whole = (some: readonly unknown[], next: string | null): Json =>
    present({
      name,
      asOf,
      prefix,
      columns: columns.map(([title]) => title),
      rows: some,
      total: isCapped ? null : total,
      after: next,
      hint,
    })
  const wanted = best.map((record) => columns.map(([, read]) => read(record)))
  const { rows } = fitRows(wanted, budget - tokensOfJson(whole([], printPosition(total))) - 10)
  const end = start + rows.length
  return whole(rows, end < total ? printPosition(end) : null)
}

type Column = readonly [title: string, read: (record: NamedRecord) => unknown]

/** What tells records apart is left out where it is the key, and so is the collection if it is one. */
function columnsOf(best: readonly NamedRecord[], prefix: string | null): readonly Column[] {
  const fields = new Set(best.map(({ subject }) => subject.apart?.name ?? ''))
  const isKey = best.every(({ apart, key }) => apart === null || apart === key)
  const isOfOne = prefix !== null
  return [
    ['name', ({ name }) => name],
    ...(isOfOne ? [] : ([['collection', ({ subject }) => subject.label]] satisfies Column[])),
    ['uri', ({ uri }) => uri.slice(prefix?.length ?? 0)],
    ...(isKey ? [] : ([[[...fields].join(' or '), ({ apart }) => apart]] satisfies Column[])),
    ['records', ({ records }) => records],
    ['match', ({ match }) => match.kind],
  ]
}

/** `titled`: collections whose titles were not searched. */
function nothingAlike(titled: readonly string[]): string {
  const others = titled.length === 0 ? '' : ` Titles are searched with collection: ${titled.join(', ')}.`
  return `No name is like it. Names are as their owners write them, in their own script and language: try that spelling or a part of it.${others}`
}

const tooMany = 'More records have a part of this name: write more of it.'
