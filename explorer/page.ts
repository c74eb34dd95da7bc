/** What pages do with script: all of it improves what works without. Each island is a file in `islands/`. */
import { brush } from './islands/brush.ts'
import { chartImages } from './islands/chart-image.ts'
import { copyButtons } from './islands/copy.ts'
import { findValues } from './islands/find-values.ts'
import { keyboard } from './islands/keyboard.ts'
import { laterParts } from './islands/later.ts'
import { localTimes } from './islands/local-times.ts'
import { sidebar } from './islands/sidebar.ts'

const islands = [localTimes, copyButtons, brush, chartImages, keyboard, findValues, sidebar, laterParts]
for (const island of islands) island(document)
