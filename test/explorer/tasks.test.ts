/** Half of the tasks are done, by turns with script and without, and in more rounds all; one of them leads to what is kept, and in more rounds more. */
import { rounds } from '../support/rounds.ts'
import { testTasks } from './tasks.ts'

testTasks(
  (at) => at % 2 === 0,
  rounds(),
  (at) => rounds() > 1 || at % 4 < 2,
)
