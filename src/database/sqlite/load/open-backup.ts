/** Opens the file of a backup, or reports what the file is instead. */
import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { type BackupFile, damaged, readable, readBackup } from './backup-file.ts'

/** Throws if the file cannot be a backup that this program reads. */
export function openBackup(path: string): BackupFile {
  const file = statSync(path, { throwIfNoEntry: false })
  if (file === undefined) throw new Error('there is no such file.')
  if (file.isDirectory()) throw new Error('it is a folder. Name the file of the backup in it.')
  if (!file.isFile()) throw new Error('it is not a file.')
  if (isGzip(path)) throw new Error('it is compressed. Decompress it first, as `gunzip` does.')
  const database = new DatabaseSync(path, { readOnly: true })
  try {
    const backup = readBackup(database)
    assertSize(database, file.size)
    return backup
  } catch (error) {
    database.close()
    throw error
  }
}

function isGzip(path: string): boolean {
  const file = openSync(path, 'r')
  try {
    const start = Buffer.alloc(2)
    readSync(file, start)
    return start[0] === 0x1f && start[1] === 0x8b
  } finally {
    closeSync(file)
  }
}

/** SQLite ignores data after the last page. */
function assertSize(database: DatabaseSync, size: number): void {
  const pages = 'select page_count * page_size as bytes from pragma_page_count, pragma_page_size'
  const bytes = Number(readable(() => database.prepare(pages).get())?.bytes)
  if (size < bytes) throw damaged()
  if (size > bytes)
    throw new Error(`it is damaged or incomplete: it has ${size - bytes} bytes more than were written.`)
}
