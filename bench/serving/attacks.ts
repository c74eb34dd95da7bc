/**
 * How long each attack of test/attacks takes with its connection, and the next request on that, worst first:
 * `node_modules/.bin/node bench/serving/attacks.ts [PART OF A NAME]`. Each is sent three times, after all were sent once. Then
 * each attack by load is played once: how long it takes, and how much of that the program computes.
 */
import type { Attack } from '../../test/attacks/attack.ts'
import { families, loadAttacks } from '../../test/attacks/families.ts'
import { launch, problemsOf } from '../../test/attacks/launch.ts'
import { openServers } from '../../test/attacks/servers.ts'
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
await using servers = await openServers()
const timed: Timed[] = []
const { port } = await servers.target('roomy')
for (const [family, all] of families) {
  const meant = all.filter(({ name }) => `${family}, ${name}`.includes(part))
  const firsts: number[] = []
  for (const attack of meant) firsts.push(await timeOf(attack))
  for (const [index, attack] of meant.entries()) {
    const times: number[] = []
    while (times.length < rounds) times.push(await timeOf(attack))
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
for (const { name, server, attack } of loadAttacks.filter((one) => `load, ${one.name}`.includes(part))) {
  const target = await servers.target(server)
  const work = (): number => 10 * sumOfFamily(target.pid, workOf)
  const [started, before] = [performance.now(), work()]
  await attack(target, servers.given)
  const [time, computing] = [performance.now() - started, work() - before]
  console.log(`${cell(time)}     ${cell(computing)}  ${name}`)
}

async function timeOf(attack: Attack): Promise<number> {
  const started = performance.now()
  const problems = problemsOf(attack, await launch(port, attack, servers.given))
  const time = performance.now() - started
  if (problems.length > 0) console.error(`${attack.name}: ${problems.join(' ')}`)
  return time
}

function cell(time: number): string {
  return time.toFixed(1).padStart(6)
}
