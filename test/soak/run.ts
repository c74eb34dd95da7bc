/**
 * The long form of the soak: `npm run soak -- [MINUTES] [SEED]`. A report each minute, and in the end an exit status
 * of 1 when there was anything that should not have been.
 */
import { describeSoaked } from './report.ts'
import { soak } from './soak.ts'

const [minutes, seed] = [Number(process.argv[2] ?? 30), Number(process.argv[3] ?? Date.now() % 2 ** 31)]
console.log(`Soaking for ${minutes} minutes with seed ${seed}.`)
// Ends what it has started, too.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130))
const over = AbortSignal.timeout(minutes * 60_000)
let periods = 0
const soaked = await soak({
  seed,
  isEnough: () => over.aborted,
  events: 2_000,
  acts: 10,
  questions: 300,
  checks: 40,
  sets: 6,
  crowd: 30,
  growth: { megabytes: 20, share: 0.1 },
  onPeriod: (so) => {
    periods += 1
    if (periods % 3 === 0) console.log(`\nSo far:\n${describeSoaked(so)}`)
  },
})
console.log(`\nIn all, with seed ${seed}:\n${describeSoaked(soaked)}`)
process.exit(soaked.tally.problemCount === 0 ? 0 : 1)
