/** `keys create|list|usage|rotate|revoke`: manages API keys. A key is printed once and never stored. */
import { UsageError } from '../../../errors.ts'
import { randomBytes } from 'node:crypto'
import type { ReadDatabase } from '../../../database/database.ts'
import { isInMemory } from '../../../database/open.ts'
import type { ApiKey, KeyUsage } from '../../../database/metadata/metadata-store.ts'
import { dayAt } from '../../../server/observe/usage.ts'
import { createKey, hashKey, readKey } from '../../../util/api-key.ts'
import { formatInstant, instantText, now, parseInstant } from '../../../util/instant.ts'
import { nearest } from '../../../util/text/nearest.ts'
import { CommandError, type CommandContext, notify, print, printJson } from '../../command.ts'
import { lexiconDir, loadProject, openExistingBeside, openExistingStore } from '../../store/project.ts'
import type { Config } from '../../settings/settings.ts'
import { renderTable } from '../../table.ts'
import { loadTiers } from '../../service/tiers.ts'
import { findKey, readKeys, readUsage } from '../../../database/metadata/keys.ts'

const hour = 3_600_000_000n
/** Time before the expiry of a key from which `keys list` warns. */
const warned = 14n * 24n * hour
const noKeys = 'There are no keys yet; `lexigraph keys create` makes one.\n'
const whereIds = '`lexigraph keys list` shows them'

const propertyOptions = ['name', 'tier', 'contact', 'expires'] as const

interface Action {
  readonly run: (context: CommandContext, id?: string) => Promise<void>
  readonly id: 'none' | 'optional' | 'required'
  /** Others would have no effect, because a key keeps its properties. */
  readonly properties: readonly (typeof propertyOptions)[number][]
}

const actions: Readonly<Record<string, Action>> = {
  create: { run: create, id: 'none', properties: propertyOptions },
  list: { run: list, id: 'none', properties: [] },
  usage: { run: usage, id: 'optional', properties: [] },
  rotate: { run: rotate, id: 'required', properties: ['expires'] },
  revoke: { run: revoke, id: 'required', properties: [] },
}

export async function keys(context: CommandContext): Promise<void> {
  const [name = '', ...ids] = context.operands
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined
  if (action === undefined) throw new UsageError(unknownAction(name))
  const [id] = ids
  if (action.id === 'none' && id !== undefined)
    throw new UsageError(`keys ${name} takes no ${JSON.stringify(id)}, only options.`)
  if (action.id === 'required' && id === undefined)
    throw new UsageError(`keys ${name} needs the id of a key; ${whereIds}.`)
  if (ids.length > 1)
    throw new UsageError(`keys ${name} takes one id at a time, but ${ids.length} were given.`)
  const given = propertyOptions.filter(
    (option) => context.config[option] !== null && !action.properties.includes(option),
  )
  if (given.length > 0)
    throw new UsageError(`keys ${name} takes no ${given.map((option) => `--${option}`).join(' and no ')}.`)
  await action.run(context, id)
}

async function create({ config, root }: CommandContext): Promise<void> {
  const properties = await parseProperties(config)
  if (isInMemory(config.database))
    throw new UsageError('A key in a database in memory would end with this command. Name another database.')
  await using database = await openExistingBeside(config, await loadProject(lexiconDir(config, root)))
  const made = { id: createId(), key: createKey() }
  await database.write.metadata.addKey({ ...properties, id: made.id }, hashKey(made.key))
  printKey(config, { ...properties, ...made })
}

async function list({ config, root }: CommandContext): Promise<void> {
  await using database = await openExistingStore(config, await loadProject(lexiconDir(config, root)))
  const all = await database.readSteps(readKeys)
  if (config.json) for (const key of all) printJson(described(key))
  else process.stdout.write(render(all))
  for (const key of all) if (expiresSoon(key)) notify(config, title(key))
}

async function usage({ config, root }: CommandContext, id?: string): Promise<void> {
  await using database = await openExistingStore(config, await loadProject(lexiconDir(config, root)))
  const one = id === undefined ? null : await find(database, id)
  const all = one === null ? await database.readSteps(readKeys) : [one]
  const used = await database.readSteps(() => readUsage(dayAt(Date.now()) - config.days + 1))
  const usages = all.map((key) => usageOf(key, used))
  if (config.json) for (const usage of usages) printJson(usage)
  else if (one === null) process.stdout.write(renderUsages(usages))
  else process.stdout.write(renderDays(usages[0]?.days ?? [], config.days))
}

type Usage = ReturnType<typeof usageOf>

function usageOf({ id, name }: ApiKey, used: readonly KeyUsage[]) {
  const own = used.filter(({ key }) => key === id)
  const sum = (what: 'requests' | 'points'): number => own.reduce((total, one) => total + one[what], 0)
  const days = own.map(({ day, requests, points }) => ({
    day: new Date(day * 86_400_000).toISOString().slice(0, 10),
    requests,
    points,
  }))
  return { id, name, requests: sum('requests'), points: sum('points'), days }
}

function renderUsages(usages: readonly Usage[]): string {
  if (usages.length === 0) return noKeys
  return renderTable(
    ['id', 'name', 'requests', 'points', 'last used'],
    usages.map(({ id, name, requests, points, days }) => [
      id,
      name,
      requests,
      points,
      days.at(-1)?.day ?? '',
    ]),
  )
}

function renderDays(days: Usage['days'], shown: number): string {
  if (days.length === 0)
    return `The key was not used in ${shown === 1 ? 'this day' : `these ${shown} days`}.\n`
  const rows = days.map(({ day, requests, points }) => [day, requests, points])
  return renderTable(['day', 'requests', 'points'], rows)
}

async function rotate({ config, root }: CommandContext, id = ''): Promise<void> {
  await using database = await openExistingBeside(config, await loadProject(lexiconDir(config, root)))
  const old = await find(database.read, id)
  const made = { id: createId(), key: createKey() }
  const expiry = parseExpiry(config.expires)
  if (typeof expiry === 'string') throw new UsageError(expiry)
  const validUntil = expiry ?? old.validUntil
  const end = now() + BigInt(config.grace) * hour
  const next = { id: made.id, hash: hashKey(made.key), ...(validUntil !== null && { validUntil }) }
  if (!(await database.write.metadata.replaceKey(old.id, next, end)))
    throw new CommandError(whyNotRotated(await find(database.read, old.id)))
  printKey(config, { ...old, ...made, validUntil })
  notify(config, title(await find(database.read, old.id)))
}

async function revoke({ config, root }: CommandContext, given = ''): Promise<void> {
  await using database = await openExistingBeside(config, await loadProject(lexiconDir(config, root)))
  const { id } = await find(database.read, given)
  await database.write.metadata.revokeKey(id)
  const key = await find(database.read, id)
  if (config.json) printJson(described(key))
  else print(title(key))
}

async function find(read: Pick<ReadDatabase, 'readSteps'>, id: string): Promise<ApiKey> {
  const found = (await read.readSteps(readKeys)).find((key) => key.id === id)
  if (found !== undefined) return found
  if (!id.trim().startsWith('lgk_'))
    throw new CommandError(`There is no key with the id ${JSON.stringify(id)}; ${whereIds}.`)
  // The operator may have found a key and want its owner; the message must not repeat the key.
  const key = readKey(id)
  const known = key === null ? null : await read.readSteps(() => findKey(hashKey(key)))
  const itsId = known === null ? `it is none of those kept here; ${whereIds}` : `its id is ${known.id}`
  throw new CommandError(`That is a key itself, and what is wanted is the id of one: ${itsId}.`)
}

/** Only the key goes to standard output, so that scripts can read it. */
function printKey(config: Config, made: KeyProperties & { readonly id: string; readonly key: string }): void {
  const { id, name, tier, contact, key } = made
  const expiresAt = instantText(made.validUntil)
  const more = { ...(contact !== null && { contact }), ...(expiresAt !== null && { expiresAt }) }
  if (config.json) printJson({ id, name, tier, ...more, key })
  else print(key)
  const end = expiresAt === null ? '' : ` It expires ${expiresAt}.`
  notify(config, `The key is shown only now; its id is ${id}. Callers send it as the header X-API-Key.${end}`)
}

function render(all: readonly ApiKey[]): string {
  if (all.length === 0) return noKeys
  const contacts = all.some(({ contact }) => contact !== null)
  return renderTable(
    ['id', 'name', ...(contacts ? ['contact'] : []), 'tier', 'created', 'state'],
    all.map((key) => [
      key.id,
      key.name,
      ...(contacts ? [key.contact ?? ''] : []),
      key.tier,
      formatInstant(key.createdAt),
      stateText(key),
    ]),
  )
}

function described(key: ApiKey): object {
  const { id, name, tier, contact, createdAt, revokedAt } = key
  const { state } = stateOf(key)
  return { id, name, contact, tier, state, createdAt, expiresAt: endOf(key), revokedAt }
}

type KeyState = 'active' | 'ends' | 'ended' | 'expired' | 'revoked'

function stateOf(key: ApiKey): { readonly state: KeyState; readonly at: bigint | null } {
  const { expiresAt, validUntil, revokedAt } = key
  if (revokedAt !== null) return { state: 'revoked', at: revokedAt }
  const at = endOf(key)
  if (at === null) return { state: 'active', at }
  const isOver = at <= now()
  if (expiresAt !== at) return { state: isOver ? 'expired' : 'active', at: validUntil }
  return { state: isOver ? 'ended' : 'ends', at }
}

/** The earlier of both: the end after a replacement, or the expiry set by the operator. */
function endOf({ expiresAt, validUntil }: ApiKey): bigint | null {
  if (expiresAt === null || validUntil === null) return expiresAt ?? validUntil
  return validUntil < expiresAt ? validUntil : expiresAt
}

/** Excludes replaced keys, which are meant to end. */
function expiresSoon(key: ApiKey): boolean {
  const { state, at } = stateOf(key)
  return state === 'active' && at !== null && key.expiresAt === null && at - now() < warned
}

function stateText(key: ApiKey): string {
  const { state, at } = stateOf(key)
  if (at === null) return state
  return state === 'active' ? `active, expires ${formatInstant(at)}` : `${state} ${formatInstant(at)}`
}

function title(key: ApiKey): string {
  return `The key ${key.id} (${key.name}): ${stateText(key)}.`
}

function whyNotRotated(key: ApiKey): string {
  const { id, name, revokedAt } = key
  const state = stateText(key)
  if (revokedAt !== null || stateOf(key).state === 'expired')
    return `The key ${id} cannot be rotated, because it no longer holds: ${state}. \`lexigraph keys create\` makes a new one.`
  return `The key ${id} (${name}) was replaced already: ${state}. \`lexigraph keys list\` shows by which, of the same name.`
}

type KeyProperties = Pick<ApiKey, 'name' | 'tier' | 'contact' | 'validUntil'>

async function parseProperties(config: Config): Promise<KeyProperties> {
  const { name, tier, contact } = config
  const tiers = await loadTiers(config)
  const problems: string[] = []
  if (name === null) problems.push('keys create needs --name NAME: whose key it is.')
  else if (!isText(name, 100))
    problems.push(
      '--name must have 1 to 100 printable characters, without line breaks or control characters.',
    )
  if (contact !== null && !isText(contact, 200))
    problems.push('--contact must have 1 to 200 printable characters, without line breaks.')
  const expiry = parseExpiry(config.expires)
  if (typeof expiry === 'string') problems.push(expiry)
  const names = [...tiers.keys()].join(', ')
  if (tier === null) problems.push(`keys create needs --tier TIER, one of ${names}.`)
  else if (!tiers.has(tier)) {
    const more = config.tiers === null ? ' --tiers FILE adds others.' : ''
    problems.push(`There is no tier ${JSON.stringify(tier)}, only ${names}.${more}`)
  }
  if (name === null || tier === null || typeof expiry === 'string' || problems.length > 0)
    throw new UsageError(problems.join('\n'))
  return { name: name.trim(), tier, contact: contact?.trim() ?? null, validUntil: expiry }
}

/** Microseconds since 1970, or a problem. */
function parseExpiry(text: string | null): bigint | null | string {
  if (text === null) return null
  const [, days] = /^([1-9]\d{0,4})d$/.exec(text.trim()) ?? []
  const at = days === undefined ? parseInstant(text.trim()) : now() + BigInt(days) * 24n * hour
  if (at === null)
    return `--expires takes a date such as 2027-01-31, a time such as 2027-01-31T12:00:00Z, or days such as 90d, not ${JSON.stringify(text)}.`
  return at > now() ? at : `--expires ${text} is over already.`
}

/** Allows two invisible characters (U+200C, U+200D) that some scripts need between letters. */
function isText(text: string, longest: number): boolean {
  const characters = [...text.trim()]
  const isPrintable = characters.every((it) => /^(?:[^\p{C}\p{Zl}\p{Zp}]|\u200c|\u200d)$/u.test(it))
  return isPrintable && characters.length >= 1 && characters.length <= longest
}

function unknownAction(action: string): string {
  const guess = nearest(action, Object.keys(actions))
  const hint = guess === null ? '' : ` Did you mean ${guess}?`
  return `keys takes create, list, usage [ID], rotate ID or revoke ID, not ${JSON.stringify(action)}.${hint}`
}

/** An id for people to refer to a key, without characters that look alike. */
function createId(): string {
  const letters = 'abcdefghijkmnpqrstuvwxyz23456789'
  return Array.from(randomBytes(8), (byte) => letters[byte % letters.length]).join('')
}
