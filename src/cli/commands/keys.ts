/** `keys create|list|rotate|revoke`: who has other limits than everybody. A key is printed once and kept nowhere. */
import { randomBytes } from 'node:crypto'
import type { Database } from '../../database/database.ts'
import type { ApiKey } from '../../database/ledger.ts'
import { createKey, hashKey, readKey } from '../../util/api-key.ts'
import { formatInstant } from '../../util/instant.ts'
import { nearest } from '../../util/nearest.ts'
import { CommandError, type CommandContext, notify } from '../command.ts'
import {
  lexiconDir,
  loadFoundation,
  now,
  openBeside,
  openExistingBeside,
  openExistingStore,
} from '../foundation.ts'
import type { Config } from '../settings.ts'
import { renderTable } from '../table.ts'
import { loadTiers } from '../tiers.ts'

const actions = ['create', 'list', 'rotate', 'revoke']
const hour = 3_600_000_000n
const whereIds = '`lexigraph keys list` shows them'

export async function keys(context: CommandContext): Promise<number> {
  const { config, operands } = context
  const [action = '', ...rest] = operands
  switch (action) {
    case 'create':
      assertNoMore(action, rest)
      await create(context, await wishOf(config))
      return 0
    case 'list':
      assertNoMore(action, rest)
      assertNoWish(action, config)
      await list(context)
      return 0
    case 'rotate':
    case 'revoke': {
      const id = idOf(action, rest)
      assertNoWish(action, config)
      await (action === 'rotate' ? rotate(context, id) : revoke(context, id))
      return 0
    }
    default:
      throw new CommandError(unknownAction(action))
  }
}

/** What a new key is to be called, and whose limits hold for it. */
interface Wish {
  readonly name: string
  readonly tier: string
}

async function create({ config, root }: CommandContext, { name, tier }: Wish): Promise<void> {
  if (/^(sqlite:)?:memory:$/.test(config.database))
    throw new CommandError(
      'A key in a database in memory would end with this command. Name another database.',
    )
  const foundation = await loadFoundation(lexiconDir(config, root))
  await using database = await openBeside(config, foundation)
  const made = { id: createId(), key: createKey() }
  await database.write.ledger.addKey({ id: made.id, name, tier }, hashKey(made.key))
  printKey(config, { ...made, name, tier })
}

async function list({ config, root }: CommandContext): Promise<void> {
  const foundation = await loadFoundation(lexiconDir(config, root))
  await using database = await openExistingStore(config, foundation)
  const all = await database.readKeys()
  if (config.json) process.stdout.write(all.map((key) => `${JSON.stringify(described(key))}\n`).join(''))
  else process.stdout.write(render(all))
}

async function rotate({ config, root }: CommandContext, given: string): Promise<void> {
  const foundation = await loadFoundation(lexiconDir(config, root))
  await using database = await openExistingBeside(config, foundation)
  const { id, name, tier } = await find(database, given)
  const made = { id: createId(), key: createKey() }
  const end = now() + BigInt(config.grace) * hour
  const next = { id: made.id, hash: hashKey(made.key) }
  if (!(await database.write.ledger.replaceKey(id, next, end)))
    throw new CommandError(whyNotRotated(await find(database, id)))
  printKey(config, { ...made, name, tier })
  notify(config, title(await find(database, id)))
}

async function revoke({ config, root }: CommandContext, given: string): Promise<void> {
  const foundation = await loadFoundation(lexiconDir(config, root))
  await using database = await openExistingBeside(config, foundation)
  const { id } = await find(database, given)
  await database.write.ledger.revokeKey(id)
  const key = await find(database, id)
  process.stdout.write(`${config.json ? JSON.stringify(described(key)) : title(key)}\n`)
}

async function find({ read }: Database, id: string): Promise<ApiKey> {
  const found = (await read.readKeys()).find((key) => key.id === id)
  if (found !== undefined) return found
  if (!id.trim().startsWith('lgk_'))
    throw new CommandError(`There is no key with the id ${JSON.stringify(id)}; ${whereIds}.`)
  // Whoever found a key somewhere wants to know whose it is; it must not be repeated here.
  const key = readKey(id)
  const known = key === null ? null : await read.findKey(hashKey(key))
  const itsId = known === null ? `it is none of those kept here; ${whereIds}` : `its id is ${known.id}`
  throw new CommandError(`That is a key itself, and what is wanted is the id of one: ${itsId}.`)
}

/** Alone on standard output, so that a script can take it from there. */
function printKey(config: Config, made: Wish & { readonly id: string; readonly key: string }): void {
  const { id, name, tier, key } = made
  process.stdout.write(`${config.json ? JSON.stringify({ id, name, tier, key }) : key}\n`)
  notify(config, `The key is shown only now; its id is ${id}. Callers send it as the header X-API-Key.`)
}

function render(all: readonly ApiKey[]): string {
  if (all.length === 0) return 'There are no keys yet; `lexigraph keys create` makes one.\n'
  return renderTable(
    ['id', 'name', 'tier', 'created', 'state'],
    all.map((key) => [key.id, key.name, key.tier, formatInstant(key.createdAt), stateText(key)]),
  )
}

function described(key: ApiKey): object {
  const { id, name, tier, createdAt, expiresAt, revokedAt } = key
  return {
    id,
    name,
    tier,
    state: stateOf(key).state,
    createdAt: formatInstant(createdAt),
    expiresAt: expiresAt === null ? null : formatInstant(expiresAt),
    revokedAt: revokedAt === null ? null : formatInstant(revokedAt),
  }
}

type KeyState = 'active' | 'ends' | 'ended' | 'revoked'

function stateOf({ expiresAt, revokedAt }: ApiKey): { readonly state: KeyState; readonly at: bigint | null } {
  if (revokedAt !== null) return { state: 'revoked', at: revokedAt }
  if (expiresAt === null) return { state: 'active', at: null }
  return { state: expiresAt > now() ? 'ends' : 'ended', at: expiresAt }
}

function stateText(key: ApiKey): string {
  const { state, at } = stateOf(key)
  return at === null ? state : `${state} ${formatInstant(at)}`
}

function title(key: ApiKey): string {
  return `The key ${key.id} (${key.name}): ${stateText(key)}.`
}

function whyNotRotated(key: ApiKey): string {
  const { id, name, revokedAt } = key
  const state = stateText(key)
  if (revokedAt !== null)
    return `The key ${id} cannot be rotated, because it no longer holds: ${state}. \`lexigraph keys create\` makes a new one.`
  return `The key ${id} (${name}) was replaced already: ${state}. \`lexigraph keys list\` shows by which, of the same name.`
}

/** All that is wrong with it is said at once. */
async function wishOf(config: Config): Promise<Wish> {
  const { name, tier } = config
  const tiers = await loadTiers(config)
  const problems: string[] = []
  if (name === null) problems.push('keys create needs --name NAME: whose key it is.')
  else if (!isName(name))
    problems.push(
      '--name must have 1 to 100 printable characters, without line breaks or control characters.',
    )
  const names = [...tiers.keys()].join(', ')
  if (tier === null) problems.push(`keys create needs --tier TIER, one of ${names}.`)
  else if (!tiers.has(tier)) {
    const more = config.tiers === null ? ' --tiers FILE adds others.' : ''
    problems.push(`There is no tier ${JSON.stringify(tier)}, only ${names}.${more}`)
  }
  if (name === null || tier === null || problems.length > 0) throw new CommandError(problems.join('\n'))
  return { name: name.trim(), tier }
}

/** Two characters that some scripts need between letters are not shown, but do no harm. */
function isName(name: string): boolean {
  return /^(?:[^\p{C}\p{Zl}\p{Zp}]|\u200c|\u200d){1,100}$/u.test(name.trim())
}

function idOf(action: string, rest: readonly string[]): string {
  const [id] = rest
  if (id === undefined) throw new CommandError(`keys ${action} needs the id of a key; ${whereIds}.`)
  if (rest.length > 1)
    throw new CommandError(`keys ${action} takes one id at a time, but ${rest.length} were given.`)
  return id
}

function assertNoMore(action: string, rest: readonly string[]): void {
  if (rest.length > 0)
    throw new CommandError(`keys ${action} takes no ${JSON.stringify(rest[0])}, only options.`)
}

/** They would be without effect: a key keeps both. */
function assertNoWish(action: string, { name, tier }: Config): void {
  const given = [...(name === null ? [] : ['--name']), ...(tier === null ? [] : ['--tier'])]
  if (given.length > 0) throw new CommandError(`keys ${action} takes no ${given.join(' and no ')}.`)
}

function unknownAction(action: string): string {
  const guess = nearest(action, actions)
  const hint = guess === null ? '' : ` Did you mean ${guess}?`
  return `keys takes create, list, rotate ID or revoke ID, not ${JSON.stringify(action)}.${hint}`
}

/** What people call it; without characters that are taken for one another. */
function createId(): string {
  const letters = 'abcdefghijkmnpqrstuvwxyz23456789'
  return Array.from(randomBytes(8), (byte) => letters[byte % letters.length]).join('')
}
