/**
 * Opens a database with other lexicons, and prints how far the rebuild has come after each step; it goes on when it is
 * told to by a byte.
 */
import { readSync } from 'node:fs'
import { mock } from 'node:test'
import type { Json } from '../../reference/shapes.ts'
import { stopTimers } from '../stopped-timers.ts'
import { openTestStore } from './store.ts'

const [, , path = '', lexicons = '[]'] = process.argv
const onProgress = (progress: unknown): void => {
  console.log(JSON.stringify(progress))
  readSync(0, Buffer.alloc(1))
}
stopTimers({ mock })
await using _store = await openTestStore({ path, lexicons: JSON.parse(lexicons) as Json[], onProgress })
