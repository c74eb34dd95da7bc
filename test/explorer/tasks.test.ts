/** Each task is done once, by turns with script and without; one of them leads to what is kept, and in more rounds more. */
import { rounds } from '../support/rounds.ts'
import { testTasks } from './tasks.ts'

testTasks((at) => at % 2 === 0, rounds())
