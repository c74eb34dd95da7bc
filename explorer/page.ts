/** What pages do with script: all of it improves what works without. Each island is a file in `islands/`. */
import { localTimes } from './islands/local-times.ts'

localTimes(document)
