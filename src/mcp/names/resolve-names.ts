/** Resolves the names in filters to URIs, and refuses names that several records share with what to write instead. */
import type { Collection } from '../../schema/model/model.ts'
import { cutPlain, quoted } from '../words/plain-text.ts'
import type { Catalogue, Subject } from '../../ask/collections.ts'
import { AskError } from '../../ask/ask-error.ts'
import type { Json } from '../../util/is-object.ts'
import type { FoundNames } from './find-names.ts'
import type { Asking, NamedRecord, Page } from './candidates.ts'
import {
  collectionsFor,
  equalOf,
  findNames,
  foremost,
  isPageAddress,
  isWrittenIdentifier,
} from './find-names.ts'
import { counted } from '../../util/text/counted.ts'
import { EnumValue, leaves, printField } from '../../ask/graphql-text.ts'
import { inPages } from '../graphql/ask.ts'
import { labelForm, meantFirst } from './labels.ts'
import { compareNames, readWanted } from './compare-names.ts'

/** How many records a refusal or a note names. */
const mostShown = 5

/** `note` is told which records were taken, where the name alone does not say it. Each name is looked up once. */
export function createNameResolver(catalogue: Catalogue, askFor: Asking, note: (sentence: string) => void) {
  const known = new Map<string, Promise<FoundNames>>()
  const find = (text: string, subjects: readonly Subject[]): Promise<FoundNames> => {
    const key = [...subjects.map(({ collection }) => collection.nsid), text].join(' ')
    const finding = known.get(key) ?? findNames(text, subjects, askFor)
    known.set(key, finding)
    return finding
  }
  return {
    one: async (text: string, { nsid }: Collection) =>
      (await named(text, [catalogue.of(nsid)], true)).map(({ uri }) => uri),
    all,
    account: (handle: string, { nsid }: Collection) => findAccount(handle, catalogue.of(nsid), askFor),
    /**
     * The only record with that name, domain, handle, key or address; or throws an AskError. Without a collection, the
     * address of a page is not that of the site that has it.
     */
    async record(text: string, subject: Subject | null): Promise<NamedRecord> {
      const isOwn = subject === null && isPageAddress(text)
      const subjects = subject === null ? collectionsFor(text, catalogue) : [subject]
      const [record, ...others] = await named(text, subjects, false, isOwn)
      if (record !== undefined && others.length === 0) return record
      throw severalRecords(text, await find(text, subjects), false)
    },
  }

  /**
   * The record that is meant, or all that are called exactly so, as answers show them. `isFilter`: whether all can be
   * asked for; `isOwn`: an address is not that of the site that has it.
   */
  async function named(
    text: string,
    subjects: readonly Subject[],
    isFilter: boolean,
    isOwn = false,
  ): Promise<readonly NamedRecord[]> {
    const told = await toldApart(text, subjects)
    if (told !== null) return [told]
    const { found, isCapped } = await find(text, subjects)
    const meant = found.filter(({ match }) => match.kind !== 'similar' && (!isOwn || match.isIdentifier))
    const plain = text.replace(/\?.*/s, '')
    if (meant.length === 0 && plain !== text) {
      const records = await named(plain, subjects, isFilter, isOwn)
      note('Nothing has this address: it was looked for without what follows "?".')
      return records
    }
    if (meant.length === 0) throw unknownName(text, found, subjects)
    const identified = isWrittenIdentifier(text) ? meant.filter(({ match }) => match.isIdentifier) : []
    const records = choose(text.trim(), meant, identified)
    if (records.length === 0) throw severalRecords(text, { found: meant, isCapped }, isFilter)
    const passed = identified.length > 0 ? [] : meant.filter((record) => !records.includes(record))
    if (passed.length > 0 || records.some(({ name, match }) => name !== text && !match.isIdentifier))
      note(
        `${quoted(text, 60)} was read as ${listed(records, mostShown)}${passed.length === 0 ? '' : `, not ${listed(passed, 3)}`}.`,
      )
    return records
  }

  /** The record that groups show as "The Courier (courier.example)"; null if the text is of another form. */
  async function toldApart(text: string, subjects: readonly Subject[]): Promise<NamedRecord | null> {
    const [, start = '', identifier] = labelForm.exec(text.trim()) ?? []
    if (identifier === undefined) return null
    const { found } = await find(identifier, subjects)
    const records = found.filter((one) => one.match.isIdentifier && one.name.trim().startsWith(start.trim()))
    const keyed = records.filter(({ key }) => key === identifier)
    return (keyed.length === 1 ? keyed[0] : records.length === 1 ? records[0] : null) ?? null
  }

  async function all(text: string, { nsid }: Collection): Promise<readonly string[]> {
    const subject = catalogue.of(nsid)
    const { found, isCapped } = await find(text, [subject])
    const records = found.filter(({ match }) => match.kind !== 'similar')
    if (records.length === 0) throw unknownName(text, found, [subject])
    if (isCapped) throw tooMany(text, subject)
    note(`${quoted(text, 60)} means ${counted(records.length, 'record')}: ${listed(records, 10)}.`)
    return records.map(({ uri }) => uri)
  }
}

/** Of what may be meant: all that are called so, as answers show them, or the one that most records refer to. */
function choose(
  text: string,
  meant: readonly NamedRecord[],
  identified: readonly NamedRecord[],
): readonly NamedRecord[] {
  const called = meantFirst(text, meant)
  // Among equal names, those that are obscure count too.
  const equal = equalOf(meant).length === 0 ? [] : meant.filter(({ match }) => match.kind === 'exact')
  const one = foremost([called, identified, equal].find(({ length }) => length > 0) ?? meant)
  return one === null ? called : [one]
}

function severalRecords(text: string, { found, isCapped }: FoundNames, isFilter: boolean): AskError {
  const labels = new Set(found.map(({ subject }) => subject.label))
  const kind = labels.size === 1 ? `${found[0]?.subject.label} records` : 'records'
  const all = `, or {"all": ${quoted(text, 60)}} for all of them`
  const instead = isFilter && !isCapped ? all : ''
  return new AskError(
    `${found.length} ${kind} may be meant by ${quoted(text, 60)}: ${listed(found, mostShown)}. Write one of them${instead}.`,
  )
}

function unknownName(text: string, found: readonly NamedRecord[], subjects: readonly Subject[]): AskError {
  const labels = subjects.length > 3 ? 'record' : subjects.map(({ label }) => label).join(' or ')
  const nearest =
    found.length > 0
      ? `The nearest: ${listed(found, mostShown)}.`
      : subjects.some(({ isNamed }) => isNamed)
        ? 'Names are as their owners write them: try a part, or a web address.'
        : 'Look for it with search_records.'
  return new AskError(`There is no ${labels} ${quoted(text, 80)}. ${nearest}`)
}

function tooMany(text: string, { label, display }: Subject): AskError {
  return new AskError(
    `Too many ${label} records have the words of ${quoted(text, 60)} to name them all: write more of the name, or a filter on ${display?.name ?? 'uri'}.`,
  )
}

/** Each as a label that names it alone, with its number of records. */
function listed(records: readonly NamedRecord[], most: number): string {
  const shown = records.slice(0, most).map((record) => {
    const count = record.records === null ? '' : `, ${counted(record.records, 'record')}`
    return `${quoted(record.name, 60)} (${tellApart(record, records)}${count})`
  })
  const left = records.length - shown.length
  return `${shown.join('; ')}${left > 0 ? `; and ${left} more` : ''}`
}

/** A text that names this record alone: its domain, handle or site, its key, or its URI. Pages may share an address. */
function tellApart(record: NamedRecord, among: readonly NamedRecord[]): string {
  const { apart, key, uri } = record
  const others = among.filter((other) => other.uri !== uri)
  const isShown = apart !== null && cutPlain(apart, 200) === apart && !isPageAddress(apart)
  const wanted = isShown ? readWanted(apart) : null
  const isNamed = (one: NamedRecord) => wanted !== null && compareNames(wanted, one)?.isIdentifier === true
  if (apart !== null && isNamed(record) && !others.some(isNamed)) return apart
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
    const { nodes, pageInfo } = data[collection.rootField] as Page
    const handleOf = ({ actorHandle }: Json) => String(actorHandle ?? '')
    const found = nodes.find((node) => handleOf(node).toLowerCase() === wanted)
    if (found !== undefined) return String(found['did'])
    const known = nodes.map(handleOf).filter((one) => one !== '')
    const shown = known.length === 0 ? '' : ` There are: ${known.slice(0, mostHandles).join(', ')}.`
    throw new AskError(
      pageInfo.hasNextPage
        ? `None of the ${first} accounts that wrote a ${label} last has the handle ${quoted(wanted, 80)}: write the DID, which begins with did:.`
        : `No account with records of ${label} has the handle ${quoted(wanted, 80)}.${shown} A DID begins with did:.`,
    )
  })
}
