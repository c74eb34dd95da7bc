/** One format; `memory.long.test.ts` has all of them on every engine. */
import { testMemory } from './memory.ts'

testMemory('parquet', ['sqlite'])
