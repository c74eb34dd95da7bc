/**
 * How long each attack of test/attacks takes from its first byte to the last of its answer, worst first:
 * `node_modules/.bin/node bench/serving/attacks.ts [PART OF A NAME]`. Each is sent three times, after all were sent once. Then
 * each attack by load is played once: how long it takes, and how much of that the program computes.
 */
import type { Attack } from '../../test/attacks/attack.ts'
import { families, scenes } from '../../test/attacks/families.ts'
import { launch, problemsOf } from '../../test/attacks/launch.ts'
import { openWorld } from '../../test/attacks/world.ts'
import { sumOfFamily, workOf } from '../../test/support/processes.ts'
import { median } from '../support/statistics.ts'

const aim = 100
const rounds = 3
interface Timed {
  readonly name: string
  readonly status: number
  readonly first: number
  readonly usual: number
}

const part = process.argv[2] ?? ''
await using world = await openWorld()
const timed: Timed[] = []
for (const [family, server, all] of families) {
  const { port } = await world.target(server)
  const meant = all.filter(({ name }) => `${family}, ${name}`.includes(part))
  const firsts: number[] = []
  for (const attack of meant) firsts.push(await timeOf(port, attack))
  for (const [index, attack] of meant.entries()) {
    const times: number[] = []
    while (times.length < rounds) times.push(await timeOf(port, attack))
    const name = `${family}, ${attack.name}`
    timed.push({ name, status: attack.status, first: firsts[index] ?? Number.NaN, usual: median(times) })
  }
}

console.log(' first  usual  status  attack (milliseconds)')
for (const { name, status, first, usual } of timed.toSorted((a, b) => b.first - a.first))
  console.log(`${cell(first)} ${cell(usual)}  ${status}     ${name}`)
const over = (time: keyof Pick<Timed, 'first' | 'usual'>): number =>
  timed.filter((one) => one[time] > aim).length
console.log(
  `${timed.length} attacks; over ${aim} ms: ${over('first')} when first seen, ${over('usual')} later.`,
)

console.log('\n  time  computing  attack by load (milliseconds)')
for (const { name, server, play } of scenes.filter((scene) => `load, ${scene.name}`.includes(part))) {
  const target = await world.target(server)
  const work = (): number => 10 * sumOfFamily(target.pid, workOf)
  const [started, before] = [performance.now(), work()]
  await play(target, world.given)
  const [time, computing] = [performance.now() - started, work() - before]
  console.log(`${cell(time)}     ${cell(computing)}  ${name}`)
}

async function timeOf(port: number, attack: Attack): Promise<number> {
  const happened = await launch(port, attack, world.given)
  const problems = problemsOf(attack, happened)
  if (problems.length > 0) console.error(`${attack.name}: ${problems.join(' ')}`)
  return happened.time
}

function cell(time: number): string {
  return time.toFixed(1).padStart(6)
}
