/** Resolves the names in filters to URIs, and refuses names that several records share with what to write instead. */
import type { Collection } from '../../schema/model/model.ts'
import { cutPlain } from '../words/plain-text.ts'
import type { Catalogue, Subject } from '../../ask/collections.ts'
import { AskError } from '../../ask/ask-error.ts'
import type { NameLookup } from '../../ask/references.ts'
import type { Json } from '../../util/is-object.ts'
import {
  type Asking,
  collectionsFor,
  findNames,
  type FoundNames,
  isPageAddress,
  type NamedRecord,
} from './find-names.ts'
import { EnumValue, leaves, printField } from '../../ask/graphql-text.ts'
import { inPages } from '../graphql/ask.ts'

/** How many records a refusal or a note names. */
const mostShown = 5

export interface NameResolver extends NameLookup {
  /**
   * The only record with that name, domain, handle, key or address; or throws an AskError. Without a collection, the
   * address of a page is not that of the site that has it.
   */
  record(text: string, subject: Subject | null): Promise<NamedRecord>
}

/** `note` is told which records were taken, where the name alone does not say it. Each name is looked up once. */
export function createNameResolver(
  catalogue: Catalogue,
  askFor: Asking,
  note: (sentence: string) => void,
): NameResolver {
  const known = new Map<string, Promise<FoundNames>>()
  const find = (text: string, subjects: readonly Subject[]): Promise<FoundNames> => {
    const key = [...subjects.map(({ collection }) => collection.nsid), text].join(' ')
    const finding = known.get(key) ?? findNames(text, subjects, askFor)
    known.set(key, finding)
    return finding
  }
  return {
    record: (text, subject) =>
      only(text, subject === null ? collectionsFor(text, catalogue) : [subject], '', subject === null),
    one: async (text, { nsid }) => {
      const all = `, or {"all": ${JSON.stringify(cutPlain(text, 60))}} for all of them`
      return (await only(text, [catalogue.of(nsid)], all)).uri
    },
    all,
    account: (handle, { nsid }) => findAccount(handle, catalogue.of(nsid), askFor),
  }

  /** `instead`: what else to write if several records have the name. `isOwn`: an address is that of the record. */
  async function only(
    text: string,
    subjects: readonly Subject[],
    instead: string,
    isOwn = false,
  ): Promise<NamedRecord> {
    const told = await toldApart(text, subjects)
    if (told !== null) return told
    const found = await find(text, subjects)
    const isMeant = ({ match }: NamedRecord) => !isOwn || !isPageAddress(text) || match.isIdentifier
    const records = theOne(sharing(text, found.found.filter(isMeant)))
    const [record, ...others] = records
    if (record === undefined) throw unknownName(text, found, subjects)
    if (others.length > 0) throw severalRecords(text, records, found.isCapped ? '' : instead)
    if (found.isCapped && !record.match.isIdentifier) throw tooMany(text, subjects)
    const not = leftOut(records, found)
    if (record.match.kind !== 'exact' || not !== '')
      note(
        `"${cutPlain(text, 60)}" was read as "${cutPlain(record.name, 60)}" (${tellApart(record, found.found)})${not}.`,
      )
    tellSpaces(text, found)
    return record
  }

  /** The record that groups show as "The Courier (courier.example)"; null if the text is of another form. */
  async function toldApart(text: string, subjects: readonly Subject[]): Promise<NamedRecord | null> {
    const [, name, identifier] = /^(.+) \(([^\s()]+)\)$/su.exec(text.trim()) ?? []
    if (identifier === undefined) return null
    const { found } = await find(identifier, subjects)
    const records = found.filter((record) => record.match.isIdentifier && record.name === name)
    return records.length === 1 ? (records[0] ?? null) : null
  }

  function tellSpaces(text: string, { unspaced }: FoundNames): void {
    const left = withoutSpaces(text, unspaced)
    if (left !== null) note(left)
  }

  async function all(text: string, { nsid }: Collection): Promise<readonly string[]> {
    const subject = catalogue.of(nsid)
    const found = await find(text, [subject])
    const records = sharing(text, found.found)
    if (records.length === 0) throw unknownName(text, found, [subject])
    if (found.isCapped) throw tooMany(text, [subject])
    const number = `${records.length} ${records.length === 1 ? 'record' : 'records'}`
    note(`"${cutPlain(text, 60)}" means ${number}: ${listed(records, 10)}${leftOut(records, found)}.`)
    tellSpaces(text, found)
    return records.map(({ uri }) => uri)
  }
}

/** What was not compared; null if nothing. */
export function withoutSpaces(text: string, unspaced: readonly string[]): string | null {
  if (unspaced.length === 0) return null
  return `Names of ${unspaced.join(', ')} with the letters of "${cutPlain(text, 60)}" and other spaces were not looked for.`
}

/** Of equal names, the only one with the article that the caller wrote; otherwise all. */
function theOne(records: readonly NamedRecord[]): readonly NamedRecord[] {
  const literal = records.filter(({ match: { kind, score } }) => kind === 'exact' && score === 1)
  return literal.length === 1 ? literal : records
}

/** The others that the same text may mean: those of the name without its article, and those of a domain with the name. */
function leftOut(taken: readonly NamedRecord[], { found }: FoundNames): string {
  if (taken[0]?.match.kind !== 'exact' || taken[0].match.isIdentifier) return ''
  const others = found.filter(
    (record) => ['exact', 'domain'].includes(record.match.kind) && !taken.includes(record),
  )
  return others.length === 0 ? '' : `, not ${listed(others, mostShown)}`
}

/** The records that the text means: those that are equal to it, or else those with all of its words. */
function sharing(text: string, found: readonly NamedRecord[]): readonly NamedRecord[] {
  const of = (kind: string) => found.filter(({ match }) => match.kind === kind)
  const exact = of('exact')
  // A domain or address tells equal names apart, also if it is the name of another record.
  const identified = /[.:/@]/.test(text) ? exact.filter(({ match }) => match.isIdentifier) : []
  return [identified, exact, of('domain'), of('words'), of('starts')].find(({ length }) => length > 0) ?? []
}

function severalRecords(text: string, records: readonly NamedRecord[], instead: string): AskError {
  const [first] = records
  const labels = new Set(records.map(({ subject }) => subject.label))
  const kind = labels.size === 1 ? `${first?.subject.label} records` : 'records'
  const verb = first?.match.kind === 'exact' ? 'are called' : 'have the name'
  return new AskError(
    `${records.length} ${kind} ${verb} "${cutPlain(text, 60)}": ${listed(records, mostShown)}. Write one of them${instead}.`,
  )
}

function unknownName(text: string, { found }: FoundNames, subjects: readonly Subject[]): AskError {
  const labels = subjects.length > 3 ? 'record' : subjects.map(({ label }) => label).join(' or ')
  const wanted = `${labels} "${cutPlain(text, 80)}"`
  const near = found.slice(0, mostShown)
  const named = near.map((record) => `"${cutPlain(record.name, 60)}" (${describeRecord(record, near)})`)
  const nearest =
    named.length === 0
      ? `Look for ${subjects.some(({ isNamed }) => isNamed) ? 'a part of it with resolve_name' : 'it with search_records'}.`
      : `The nearest: ${named.join(', ')}.`
  return new AskError(`There is no ${wanted}. ${nearest}`)
}

function tooMany(text: string, subjects: readonly Subject[]): AskError {
  return new AskError(
    `Too many ${subjects.map(({ label }) => label).join(', ')} records have the words of "${cutPlain(text, 60)}" to compare them all: write more of the name, or a domain, key or URI.`,
  )
}

/** Each with what to write for it, its number of records, and its name if the names differ. */
function listed(records: readonly NamedRecord[], most: number): string {
  const areNamed = new Set(records.map(({ name }) => name)).size > 1
  const shown = records.slice(0, most).map((record) => {
    const described = describeRecord(record, records)
    return areNamed ? `"${cutPlain(record.name, 60)}" (${described})` : described
  })
  const left = records.length - shown.length
  return `${shown.join('; ')}${left > 0 ? `; and ${left} more` : ''}`
}

function describeRecord(record: NamedRecord, among: readonly NamedRecord[]): string {
  const { records } = record
  const identifier = tellApart(record, among)
  return records === null ? identifier : `${identifier}, ${records} ${records === 1 ? 'record' : 'records'}`
}

/** The shortest text that names this record alone: its domain or handle, its key, or its URI. */
function tellApart({ apart, key, uri, subject }: NamedRecord, among: readonly NamedRecord[]): string {
  const others = among.filter((other) => other.uri !== uri)
  const isDomain = [...subject.domains, ...subject.handles, ...subject.addresses].some(
    (field) => field === subject.apart,
  )
  if (apart !== null && isDomain && !others.some((other) => other.apart === apart || other.key === apart))
    return cutPlain(apart, 200)
  return others.some((other) => other.key === key) ? uri : key
}

const mostHandles = 10

/** The DID of the account with a handle, among those with records in a collection; throws an AskError with handles. */
async function findAccount(handle: string, { collection, label }: Subject, askFor: Asking): Promise<string> {
  const wanted = handle.trim().replace(/^@/, '').toLowerCase()
  return inPages(async (first) => {
    const list = printField(collection.rootField, { first, distinctOn: [new EnumValue('did')] })
    const data = await askFor({
      [list]: { nodes: leaves('did', 'actorHandle'), pageInfo: { hasNextPage: {} } },
    })
    const { nodes, pageInfo } = data[collection.rootField] as {
      readonly nodes: readonly Json[]
      readonly pageInfo: { readonly hasNextPage: boolean }
    }
    const handleOf = ({ actorHandle }: Json) => String(actorHandle ?? '')
    const found = nodes.find((node) => handleOf(node).toLowerCase() === wanted)
    if (found !== undefined) return String(found['did'])
    const known = nodes.map(handleOf).filter((one) => one !== '')
    const shown = known.length === 0 ? '' : ` There are: ${known.slice(0, mostHandles).join(', ')}.`
    throw new AskError(
      pageInfo.hasNextPage
        ? `None of the ${first} accounts that wrote a ${label} last has the handle "${cutPlain(wanted, 80)}": write the DID, which begins with did:.`
        : `No account with a ${label} has the handle "${cutPlain(wanted, 80)}".${shown} A DID begins with did:.`,
    )
  })
}
