/** Records of a folder again and again, each round by another account and later in time, so that a corpus grows as it would. */
import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type CorpusRecord, didOf, readFolder } from './corpus.ts'

/** Writes a file for each number, with so many records that follow those of the file before. */
export async function writeCorpora(
  folder: string,
  files: readonly { readonly path: string; readonly records: number }[],
): Promise<void> {
  const lines = growingCorpus(folder)
  for (const { path, records } of files)
    await pipeline(Readable.from(take(lines, records)), createWriteStream(path))
}

async function* take(lines: AsyncIterator<string>, count: number): AsyncGenerator<string> {
  for (let taken = 0; taken < count; taken += 1) yield (await lines.next()).value
}

/** Without end, as lines that `import` reads. */
async function* growingCorpus(folder: string): AsyncGenerator<string> {
  let [oldest, newest] = [Number.POSITIVE_INFINITY, 0]
  for (let round = 0; ; round += 1) {
    const later = round * (newest - oldest)
    for await (const record of readFolder(folder)) {
      const at = Date.parse(String((record as { indexedAt?: unknown }).indexedAt))
      oldest = Math.min(oldest, at)
      newest = Math.max(newest, at)
      yield `${JSON.stringify({ ...record, cid: undefined }, round === 0 ? undefined : moved(record, round, later))}\n`
    }
  }
}

/** References stay within their round. */
function moved(
  { uri }: CorpusRecord,
  round: number,
  later: number,
): (key: string, value: unknown) => unknown {
  const [from = '', to] = [uri.split('/')[2], didOf(round)]
  return (key, value) => {
    if (typeof value !== 'string') return value
    if (key === 'uri') return value.replace(from, to)
    return instant.test(value) ? new Date(Date.parse(value) + later).toISOString() : value
  }
}

const instant = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/
