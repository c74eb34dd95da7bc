/** Opens a database with other lexicons, and prints how far the rebuild has come after each step. */
import type { Json } from '../../reference/shapes.ts'
import { openTestStore } from './store.ts'

const [, , path = '', lexicons = '[]'] = process.argv
const onProgress = (progress: unknown): void => console.log(JSON.stringify(progress))
await using _store = await openTestStore({ path, lexicons: JSON.parse(lexicons) as Json[], onProgress })
