/** The tasks, the other way round: without script those that `npm test` does with it. */
import { testTasks } from './tasks.ts'

testTasks((at) => at % 2 === 1, Number.POSITIVE_INFINITY)
