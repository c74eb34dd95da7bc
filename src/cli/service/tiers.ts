/** Loads the tiers of callers: those of src/server/admission/tiers.ts, changed and extended by the operator's file. */
import { asSentence } from '../../util/text/messages.ts'
import { limits } from '../../query/parse/limits.ts'
import { defaultTiers, publicFiles, type Tier } from '../../server/admission/tiers.ts'
import { nearest } from '../../util/text/nearest.ts'
import { CommandError, readNamed } from '../command.ts'
import type { Config } from '../settings/settings.ts'
import { isObject } from '../../util/is-object.ts'

export type Tiers = ReadonlyMap<string, Tier>

type Limits = Omit<Tier, 'name'>
type Member = keyof Limits

/** Page sizes start at the default one, so that equal queries without `first` have equal answers in every tier. */
const ranges: Readonly<Record<Member, readonly [least: number, most: number]>> = {
  pointsPerMinute: [1, 1_000_000_000],
  pointsPerQuery: [1, limits.points],
  pageSize: [20, 1_000],
  seconds: [1, 3_600],
  concurrent: [1, 10_000],
  fileRows: [1, 1_000_000_000],
  fileSeconds: [1, 86_400],
}
const members = Object.keys(ranges) as readonly Member[]
/** The form of names, which headers, logs and metrics contain unescaped. */
const nameForm = /^[a-z][a-z0-9-]{0,31}$/i
const example = '{ "public": { "pointsPerMinute": 2400 } }'

export async function loadTiers({ tiers: file }: Pick<Config, 'tiers'>): Promise<Tiers> {
  const found = file === null ? {} : parseObject(await readNamed(file, 'The tiers in '), file)
  const problems: string[] = []
  const tiers = new Map(defaultTiers.map((tier) => [tier.name, tier]))
  for (const [name, value] of Object.entries(found)) {
    const tier = { ...publicFiles, ...tiers.get(name), ...(value as Limits), name }
    const own = tierProblems(tier, value)
    problems.push(...own.map((problem) => `${file}: ${JSON.stringify(name)}${problem}`))
    if (own.length === 0) tiers.set(name, tier)
  }
  if (problems.length > 0) throw new CommandError(problems.join('\n'))
  return tiers
}

function parseObject(content: Buffer, file: string): object {
  let value: unknown
  try {
    // Editors of some systems begin every file with a byte order mark.
    value = JSON.parse(content.toString().replace(/^\uFEFF/, ''))
  } catch (cause) {
    throw new CommandError(`${file} is not JSON: ${asSentence((cause as Error).message)}`, { cause })
  }
  if (!isObject(value))
    throw new CommandError(`${file} must have one object with a member for each tier, such as ${example}.`)
  return value
}

/** `given`: what the file has of the tier. The texts continue the tier's name. */
function tierProblems(tier: Tier, given: unknown): readonly string[] {
  const { name, pointsPerQuery, pointsPerMinute } = tier
  const problems: string[] = []
  if (!nameForm.test(name))
    problems.push(
      ' is no name of a tier: it has up to 32 letters, digits and hyphens, and begins with a letter.',
    )
  if (!isObject(given))
    return [...problems, ` must be an object with the limits of the tier, not ${shown(given)}.`]
  for (const [member, value] of Object.entries(given)) {
    const problem = Object.hasOwn(ranges, member) ? limitProblem(member as Member, value) : unknown(member)
    if (problem !== null) problems.push(problem)
  }
  const missing = members.filter((member) => !Object.hasOwn(tier, member))
  if (missing.length > 0) problems.push(` lacks ${missing.join(', ')}: ${whyAll(name)}`)
  if (problems.length > 0) return problems
  if (pointsPerMinute === null || pointsPerQuery <= pointsPerMinute) return []
  return [`.pointsPerQuery is ${pointsPerQuery}, more than the ${pointsPerMinute} that it has in a minute.`]
}

function limitProblem(member: Member, given: unknown): string | null {
  const [least, most] = ranges[member]
  const mayLack = member === 'pointsPerMinute'
  if (given === null && mayLack) return null
  if (typeof given === 'number' && Number.isInteger(given) && given >= least && given <= most) return null
  const orNull = mayLack ? ', or null for any number' : ''
  return `.${member} must be a whole number from ${least} to ${most}${orNull}, not ${shown(given)}.`
}

function unknown(member: string): string {
  const guess = nearest(member, members)
  const hint = guess === null ? `a tier has ${members.join(', ')}.` : `did you mean ${guess}?`
  return ` has no member ${JSON.stringify(member)}; ${hint}`
}

function whyAll(name: string): string {
  const names = defaultTiers.map((tier) => tier.name)
  const guess = nearest(name, names)
  return guess === null
    ? `a tier other than ${names.join(', ')} has all five.`
    : `a new tier has all five; or did you mean ${guess}?`
}

function shown(value: unknown): string {
  const text = JSON.stringify(value)
  return text.length > 40 ? `${text.slice(0, 40)}…` : text
}
