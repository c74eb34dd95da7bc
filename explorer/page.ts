/** What pages do with script: all of it improves what works without. Each island is a file in `islands/`. */
import { brush } from './islands/brush.ts'
import { copyButtons } from './islands/copy.ts'
import { localTimes } from './islands/local-times.ts'

localTimes(document)
copyButtons(document)
brush(document)
