/** Preloaded into a program: says when another process's lock keeps it from beginning a transaction. */
import { DatabaseSync } from 'node:sqlite'

const { exec } = DatabaseSync.prototype
DatabaseSync.prototype.exec = function (this: DatabaseSync, statements: string): void {
  try {
    exec.call(this, statements)
  } catch (error) {
    if ((error as { errcode?: number }).errcode === 5) process.stderr.write(`Locked: ${statements}.\n`)
    throw error
  }
}
