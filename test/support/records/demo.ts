/** The records of the demo, which nobody changes: built once for all tests of a process, because that takes half a second. */
import { buildDemoCorpus } from '../../../demo/corpus.ts'
import type { DemoRecord } from '../../../demo/record.ts'

let built: readonly DemoRecord[] | undefined

export function demoRecords(): readonly DemoRecord[] {
  return (built ??= [...buildDemoCorpus()])
}
