/**
 * The main module of a process that writes one file: it reads a snapshot, formats the rows, and writes the bytes to
 * descriptor 4. The parent process kills it when nobody wants the file any more; it only reads, so this damages nothing.
 */
import { closeSync, writeSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import type { FileSpec } from '../../files/file-spec.ts'
import { writeFile } from '../../files/write-file.ts'
import { releaseBuffer } from '../../util/memory.ts'
import { failureOf } from '../sqlite/failures.ts'
import type { FromFileProcess, ToFileProcess } from './file-process.ts'
import type { FileSnapshot } from './file-source.ts'

process.once('message', (message: ToFileProcess) => void run(message))
// The parent process has ended.
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'))
// Terminals and supervisors signal whole process groups; the parent process decides about files.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)

async function run({ source, statements, spec }: ToFileProcess): Promise<void> {
  try {
    const snapshot: FileSnapshot =
      source.engine === 'sqlite'
        ? (await import('../sqlite/read/snapshot.ts')).openSnapshot(source, statements)
        : await (await import('../postgres/read/snapshot.ts')).openSnapshot(source.url, statements)
    if (snapshot.version !== statements.version) return send({ kind: 'outdated' })
    send({ kind: 'begun', total: snapshot.total })
    // Flushed now, because a killed process does not save its compile cache.
    flushCompileCache()
    send({ kind: 'written', rows: await write(spec, snapshot) })
  } catch (error) {
    send({ kind: 'failed', failure: failureOf(error) })
  } finally {
    // The parent process reads to the end, and then the last message.
    closeSync(descriptor)
  }
}

async function write(spec: FileSpec, { batches }: FileSnapshot): Promise<number> {
  let written = 0
  for await (const piece of writeFile(spec, batches, (rows) => (written = rows))) {
    // The pipe blocks while nobody reads, and this process has nothing else to do.
    for (let at = 0; at < piece.length; ) at += writeSync(descriptor, piece, at)
    if (piece.length === piece.buffer.byteLength) releaseBuffer(piece)
  }
  return written
}

const descriptor = 4

function send(message: FromFileProcess): void {
  process.send?.(message)
}
