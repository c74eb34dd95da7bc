/** Each task is done once, by turns with script and without; two of them lead to what is kept, and in more rounds all. */
import { rounds } from '../support/rounds.ts'
import { testTasks } from './tasks.ts'

testTasks((at) => at % 2 === 0, rounds(2))
