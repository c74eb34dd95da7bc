/**
 * What refused requests cost: milliseconds of CPU of the service for each point that they are charged, worst first, of
 * all attacks of test/attacks that end in an error, timeouts excepted.
 * Usage: node bench/costs/cost-requests.ts [PART OF A NAME]
 * Each is sent six times over a demo corpus; the least counts, so that compiling and collecting garbage does not. What
 * is not charged at all, because it is no request, counts as one point.
 */
import { families } from '../../test/attacks/families.ts'
import { launch } from '../../test/attacks/launch.ts'
import { openServers } from '../../test/attacks/servers.ts'
import { sumOfFamily } from '../../test/support/processes.ts'
import { mainThreadCpuOf } from '../support/cpu-time.ts'
import { median } from '../support/statistics.ts'

/** Milliseconds of CPU that a point pays for at most. */
const most = 10
const rounds = 6
const shown = 20

interface Refused {
  readonly name: string
  readonly status: number
  readonly points: number
  readonly cpu: number
}

const part = process.argv[2] ?? ''
await using servers = await openServers()
const { pid, port, url } = await servers.target('counted')

/** Points that are left; asking takes one. */
async function left(): Promise<number> {
  const response = await fetch(`${url}/api/graphql?query={__typename}`)
  await response.arrayBuffer()
  return Number(/r=(\d+)/.exec(response.headers.get('ratelimit') ?? '')?.[1])
}

/** Of all its processes. */
function cpu(): number {
  return sumOfFamily(pid, mainThreadCpuOf)
}

async function measure(work: () => Promise<unknown>): Promise<Pick<Refused, 'points' | 'cpu'>> {
  const [points, before] = [await left(), cpu()]
  await work()
  const after = await left()
  return { points: points - after - 1, cpu: cpu() - before }
}

const nothing: number[] = []
while (nothing.length < 50) nothing.push((await measure(async () => undefined)).cpu)
/** Of finding out what is left. */
const own = median(nothing)

const refused: Refused[] = []
for (const [family, attacks] of families) {
  // Those on keys say from where they come, and their points are counted there.
  if (family === 'keys') continue
  for (const attack of attacks) {
    const name = `${family}, ${attack.name}`
    if (!name.includes(part) || attack.status === 504 || attack.code === 'TIMEOUT') continue
    const found: Pick<Refused, 'points' | 'cpu'>[] = []
    let isError = false
    for (let round = 0; round < rounds; round += 1)
      found.push(
        await measure(async () => {
          const { answers } = await launch(port, attack, servers.given)
          isError = answers.some(({ status, body }) => status >= 400 || /"errors"|"isError":true/.test(body))
        }),
      )
    const least = found.toSorted((a, b) => a.cpu - b.cpu)[0]
    if (isError && least !== undefined)
      refused.push({ name, status: attack.status, points: Math.max(1, least.points), cpu: least.cpu - own })
  }
}

const worst = refused.toSorted((a, b) => b.cpu / b.points - a.cpu / a.points)
console.log('ms/point   ms CPU  points  status  request')
for (const { name, status, points, cpu } of worst.slice(0, shown)) {
  const figures = [
    (cpu / points).toFixed(1).padStart(8),
    cpu.toFixed(1).padStart(8),
    String(points).padStart(7),
  ]
  console.log(`${figures.join(' ')}  ${String(status).padStart(6)}  ${name}`)
}
const over = refused.filter(({ cpu, points }) => cpu / points > most).length
console.log(`${refused.length} refused requests; over ${most} ms a point: ${over}.`)
