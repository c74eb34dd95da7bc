/** Each task is done once, by turns with script and without. */
import { testTasks } from './tasks.ts'

testTasks((at) => at % 2 === 0)
