/** Splits JSON Lines into blocks of whole lines, which are read independently; the longest line bounds memory. */
import { createReadStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'

/** A file or another stream of bytes. */
export interface LineInput {
  /** For messages, such as the file's path. */
  readonly name: string
  /** Bytes before decompression; null when unknown. */
  readonly size: number | null
  readonly open: () => Readable
}

export interface Block {
  /** Whole lines; the block owns the buffer, so that it can be transferred to another thread. */
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Number of its first line in the input, from 1. */
  readonly firstLine: number
  /** Bytes of the input, before decompression, that were read when the block was ready. */
  readonly consumed: number
}

/** The input itself cannot be read, as opposed to single records in it. */
export class InputError extends Error {
  override name = 'InputError'
}

/** Longer lines are refused, and only this much of them is held in memory. */
export const maxLineBytes = 2_000_000
const blockBytes = 256 * 1024
const newline = 10

export function fileInput(path: string, size: number | null): LineInput {
  return { name: path, size, open: () => createReadStream(path, { highWaterMark: blockBytes }) }
}

export async function* readBlocks(input: LineInput): AsyncGenerator<Block> {
  let parts: Uint8Array[] = []
  let size = 0
  /** Bytes of the unfinished line at the end of `parts`. */
  let open = 0
  let firstLine = 1
  const progress = { consumed: 0 }
  for await (const chunk of readChunks(input, progress)) {
    let start = 0
    if (open > maxLineBytes) {
      // Skip the rest of a line that is too long; its one byte beyond the limit marks it as such.
      start = chunk.indexOf(newline)
      if (start < 0) continue
    }
    const last = chunk.lastIndexOf(newline)
    const end = last < start ? Math.min(chunk.length, start + maxLineBytes + 1 - open) : chunk.length
    parts.push(chunk.subarray(start, end))
    size += end - start
    open = last < start ? open + end - start : chunk.length - last - 1
    if (size - open < blockBytes) continue
    const joined = Buffer.concat(parts, size)
    const bytes = new Uint8Array(joined.subarray(0, size - open))
    const next = firstLine + countLines(bytes)
    parts = open > 0 ? [joined.subarray(size - open)] : []
    size = open
    if (firstLine === 1) assertLines(input, bytes)
    yield { bytes, firstLine, consumed: progress.consumed }
    firstLine = next
  }
  if (size === 0) return
  const bytes = new Uint8Array(Buffer.concat(parts, size))
  if (firstLine === 1) assertLines(input, bytes)
  yield { bytes, firstLine, consumed: progress.consumed }
}

/** Refuses an array or objects over many lines as a whole, because each of their lines would be refused. */
function assertLines({ name }: LineInput, bytes: Uint8Array): void {
  const start = new TextDecoder().decode(bytes.subarray(0, 1000)).trimStart()
  // The first line leaves its object open, and the second line starts with a name.
  const isObjectOverLines = /^\{(?:[^\n]*[,{[])?[^\S\n]*\n\s*"/.test(start)
  const [what, filter] = start.startsWith('[')
    ? ['JSON array', "'.[]'"]
    : isObjectOverLines
      ? ['JSON object over many lines', '.']
      : []
  if (what !== undefined)
    throw new InputError(
      `${name} has a ${what}, but records are read one per line. Convert it with \`jq -c ${filter}\`.`,
    )
}

function countLines(bytes: Uint8Array): number {
  let count = 0
  for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, at + 1)) count++
  return count
}

/** Yields the input's chunks, decompressed if its first two bytes are those of gzip, whatever its name. */
async function* readChunks(input: LineInput, progress: { consumed: number }): AsyncGenerator<Uint8Array> {
  const chunks = readRaw(input, progress)
  let head: Uint8Array = new Uint8Array()
  while (head.length < 2) {
    const next = await chunks.next()
    if (next.done === true) break
    head = Buffer.concat([head, next.value])
  }
  if (head[0] === 0x1f && head[1] === 0x8b) {
    yield* gunzip(input.name, head, chunks)
    return
  }
  if (head.length > 0) yield head
  yield* chunks
}

async function* readRaw(input: LineInput, progress: { consumed: number }): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of input.open()) {
      progress.consumed += chunk.length
      yield chunk
    }
  } catch (cause) {
    throw new InputError(`${input.name} cannot be read: ${(cause as Error).message}.`, { cause })
  }
}

/** Concatenated gzip members are one text; truncated or damaged data is an error, never a short import. */
async function* gunzip(
  name: string,
  head: Uint8Array,
  rest: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const unpacked = createGunzip({ chunkSize: blockBytes })
  const fed = pipeline(async function* () {
    yield head
    yield* rest
  }, unpacked)
  // The iteration below throws the same error.
  fed.catch(() => {})
  try {
    for await (const chunk of unpacked) yield chunk
  } catch (cause) {
    if (cause instanceof InputError) throw cause
    const truncated = (cause as NodeJS.ErrnoException).code === 'Z_BUF_ERROR'
    const state = truncated ? 'ends in the middle of its gzip data' : 'is damaged gzip data'
    throw new InputError(`${name} ${state}: copy or compress it again.`, { cause })
  }
}
