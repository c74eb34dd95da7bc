/** Reads `display.json`, and reports everything in it that names nothing or fits nothing. */
import { nearest } from '../../util/text/nearest.ts'
import { isObject } from '../../util/is-object.ts'
import { languages } from '../languages/language.ts'
import type { CollectionDisplay, Display, FieldDisplay } from './display.ts'
import type { PageRoles } from './guesses.ts'
import { type Labels, noValueLabels, type Scale, type ValueLabels } from './labels.ts'
import { type Member, membersOf } from './members.ts'
import type { ShownField } from './shown-field.ts'
import type { Subject } from './subject.ts'

export interface DisplayProblem {
  /** Where it is, such as `org.example.book.fields.pages`; blank for the whole file. */
  readonly path: string
  readonly problem: string
  readonly remedy: string
}

export interface ReadDisplay {
  readonly display: Display
  readonly problems: readonly DisplayProblem[]
}

type Json = Readonly<Record<string, unknown>>

const example = '{"org.example.book": {"label": {"en": "Books"}}}'
const collectionMembers =
  'label description title summary time image link facets columns hidden groups fields'.split(' ')
/** Of `facets` in GraphQL. */
const mostFacets = 10
const longestText = 1_000

/** `subjects` are those that the file is about, without it. */
export function readDisplay(file: unknown, subjects: readonly Subject[]): ReadDisplay {
  const problems: DisplayProblem[] = []
  const report = (path: string, problem: string, remedy: string): null => {
    problems.push({ path, problem, remedy })
    return null
  }
  if (file === undefined) return { display: new Map(), problems }
  if (!isObject(file)) {
    report('', 'The display settings are not a JSON object.', `Write an object such as ${example}.`)
    return { display: new Map(), problems }
  }
  const names = subjects.map(({ collection }) => collection.nsid)
  const display = new Map<string, CollectionDisplay>()
  for (const [nsid, value] of Object.entries(file)) {
    const subject = subjects.find(({ collection }) => collection.nsid === nsid)
    if (subject === undefined) report(nsid, `There is no collection "${nsid}".`, suggest(nsid, names))
    else if (!isObject(value))
      report(nsid, 'This is not a JSON object.', `Write an object such as ${example}.`)
    else display.set(nsid, readCollection(value, subject, report))
  }
  return { display, problems }
}

type Report = (path: string, problem: string, remedy: string) => null

function readCollection(value: Json, subject: Subject, report: Report): CollectionDisplay {
  const { nsid } = subject.collection
  const { fields } = subject
  const members = membersOf(subject.collection)
  checkMembers(value, collectionMembers, nsid, report)

  /** A field that represents a record; null says that there is none, undefined leaves the guess. */
  const role = (
    name: string,
    fits: (field: ShownField) => boolean,
    what: string,
  ): string | null | undefined => {
    const given = value[name]
    if (given === undefined || given === null) return given
    const path = `${nsid}.${name}`
    const found = typeof given === 'string' ? fields.get(given) : undefined
    if (found !== undefined && fits(found)) return found.name
    const choices = [...fields.values()].filter(fits).map((each) => each.name)
    const shown = JSON.stringify(given)
    report(
      path,
      found === undefined ? `${nsid} has no field ${shown}.` : `${shown} is not ${what}.`,
      suggest(String(given), choices),
    )
    return undefined
  }
  const list = (
    name: string,
    has: (field: string) => boolean,
    choices: () => readonly string[],
  ): readonly string[] | undefined => {
    const given = value[name]
    return given === undefined ? undefined : readNames(given, `${nsid}.${name}`, has, choices, report)
  }
  const namesOf = (fits: (field: ShownField) => boolean) => () =>
    [...fields.values()].filter(fits).map(({ name }) => name)
  const isMember = (name: string) => members.has(name) || fields.has(name)
  const memberNames = () => [...new Set([...members.keys(), ...fields.keys()])]

  const isOuter = (name: string) => members.get(name)?.path.length === 1
  const outerNames = () => [...members.keys()].filter(isOuter)
  const isColumn = ({ many }: ShownField) => !many
  const roles: { -readonly [Name in keyof PageRoles]?: PageRoles[Name] | undefined } = {
    title: role('title', isText, 'a text of the record itself'),
    summary: role('summary', isText, 'a text of the record itself'),
    time: role('time', isTime, 'a time of the record itself') ?? undefined,
    image: role('image', isAddress, 'a URI of the record itself'),
    link: role('link', isAddress, 'a URI of the record itself'),
    facets: list(
      'facets',
      (name) => fields.get(name)?.isGroup === true,
      namesOf(({ isGroup }) => isGroup),
    ),
    columns: list('columns', (name) => fields.get(name)?.many === false, namesOf(isColumn)),
  }
  if (roles.facets !== undefined && roles.facets.length > mostFacets)
    report(`${nsid}.facets`, `There are ${roles.facets.length} facets.`, `Name ${mostFacets} at most.`)
  return {
    label: readLabels(value['label'], `${nsid}.label`, report),
    description: readLabels(value['description'], `${nsid}.description`, report),
    roles: Object.fromEntries(Object.entries(roles).filter(([, given]) => given !== undefined)),
    hidden: new Set(list('hidden', isMember, memberNames)),
    groups: readGroups(value['groups'], nsid, isOuter, outerNames, report),
    fields: readFields(value['fields'], nsid, { members, isMember, memberNames }, report),
  }
}

function isText({ isOwn, many, isArray, properties, type }: ShownField): boolean {
  return isOwn && !many && !isArray && properties.length > 0 && type.kind === 'string'
}

function isTime({ isOwn, many, isArray, type }: ShownField): boolean {
  return isOwn && !many && !isArray && type.kind === 'datetime'
}

function isAddress(field: ShownField): boolean {
  return isText(field) && field.type.kind === 'string' && field.type.format === 'uri'
}

function readGroups(
  value: unknown,
  nsid: string,
  isMember: (name: string) => boolean,
  memberNames: () => readonly string[],
  report: Report,
): CollectionDisplay['groups'] {
  const path = `${nsid}.groups`
  if (value === undefined) return []
  if (!Array.isArray(value)) {
    report(
      path,
      'This is not a list.',
      'Write a list such as [{"label": {"en": "Scores"}, "fields": ["impact"]}].',
    )
    return []
  }
  const grouped = new Set<string>()
  return value.flatMap((group: unknown, at) => {
    const own = `${path}.${at}`
    if (!isObject(group))
      return report(own, 'This is not a JSON object.', 'Give it "label" and "fields".') ?? []
    checkMembers(group, ['label', 'fields'], own, report)
    const fields = readNames(group['fields'], `${own}.fields`, isMember, memberNames, report)
    for (const name of fields) {
      if (grouped.has(name)) report(`${own}.fields`, `"${name}" is in two groups.`, 'Name it once.')
      grouped.add(name)
    }
    return [{ label: readLabels(group['label'], `${own}.label`, report), fields }]
  })
}

interface KnownMembers {
  readonly members: ReadonlyMap<string, Member>
  readonly isMember: (name: string) => boolean
  readonly memberNames: () => readonly string[]
}

function readFields(
  value: unknown,
  nsid: string,
  { members, isMember, memberNames }: KnownMembers,
  report: Report,
): CollectionDisplay['fields'] {
  const found = new Map<string, FieldDisplay>()
  if (value === undefined) return found
  if (!isObject(value)) {
    report(
      `${nsid}.fields`,
      'This is not a JSON object.',
      'Write an object such as {"pages": {"label": {"en": "Pages"}}}.',
    )
    return found
  }
  for (const [name, field] of Object.entries(value)) {
    const path = `${nsid}.fields.${name}`
    if (!isMember(name)) report(path, `${nsid} has no field "${name}".`, suggest(name, memberNames()))
    else if (!isObject(field))
      report(path, 'This is not a JSON object.', 'Give it "label", "scale" or "values".')
    else {
      checkMembers(field, ['label', 'scale', 'values'], path, report)
      const member = members.get(name)
      found.set(name, {
        label: readLabels(field['label'], `${path}.label`, report),
        scale: readScale(field['scale'], `${path}.scale`, member, report),
        values: readValueLabels(field['values'], `${path}.values`, member, report),
      })
    }
  }
  return found
}

function readScale(value: unknown, path: string, member: Member | undefined, report: Report): Scale | null {
  if (value === undefined) return null
  if (member?.field.type.kind !== 'integer')
    return report(path, 'Only an integer of the record itself has a scale.', 'Remove it.')
  if (!isObject(value))
    return report(
      path,
      'This is not a JSON object.',
      'Write one such as {"min": 1, "max": 10, "low": {"en": "minor"}}.',
    )
  checkMembers(value, ['min', 'max', 'low', 'high'], path, report)
  const { minimum, maximum } = member.field.constraints
  const { min = minimum, max = maximum } = value
  if (!Number.isSafeInteger(min) || !Number.isSafeInteger(max) || Number(min) >= Number(max))
    return report(
      path,
      'A scale has integers "min" and "max", and "min" is less.',
      'The lexicon gives those that are left out.',
    )
  const low = readLabels(value['low'], `${path}.low`, report)
  const high = readLabels(value['high'], `${path}.high`, report)
  return { min: Number(min), max: Number(max), low, high }
}

/** Labels of the values of a text, or of an array of texts, of the record itself. */
function readValueLabels(
  value: unknown,
  path: string,
  member: Member | undefined,
  report: Report,
): ValueLabels {
  if (value === undefined) return noValueLabels
  const type = member?.field.type
  const isText = type?.kind === 'string' || (type?.kind === 'array' && type.of.kind === 'string')
  if (member === undefined || !isText) {
    report(path, 'Only texts of the record itself have labels of values.', 'Remove it.')
    return noValueLabels
  }
  if (!isObject(value)) {
    report(path, 'This is not a JSON object.', 'Write one such as {"novel": {"en": "Novel"}}.')
    return noValueLabels
  }
  const { values } = member.field.constraints
  for (const name of Object.keys(value))
    if (values.length > 0 && !values.includes(name))
      report(`${path}.${name}`, `The lexicon does not list "${name}".`, suggest(name, values))
  return new Map(
    Object.entries(value).map(([name, label]) => [name, readLabels(label, `${path}.${name}`, report)]),
  )
}

function readNames(
  value: unknown,
  path: string,
  has: (name: string) => boolean,
  choices: () => readonly string[],
  report: Report,
): readonly string[] {
  if (!Array.isArray(value)) {
    report(path, 'This is not a list of fields.', 'Write a list such as ["title"].')
    return []
  }
  return [...new Set<unknown>(value)].flatMap((name) => {
    if (typeof name === 'string' && has(name)) return [name]
    return (
      report(path, `There is no field ${JSON.stringify(name)} for this.`, suggest(String(name), choices())) ??
      []
    )
  })
}

function readLabels(value: unknown, path: string, report: Report): Labels {
  if (value === undefined) return {}
  const tags = languages.map(({ tag }) => tag)
  if (!isObject(value)) {
    report(path, 'This is not an object of texts by language.', 'Write one such as {"en": "Books"}.')
    return {}
  }
  for (const [tag, text] of Object.entries(value)) {
    if (!tags.includes(tag))
      report(`${path}.${tag}`, `Pages are not in the language "${tag}".`, `They are in: ${tags.join(', ')}.`)
    else if (typeof text !== 'string' || text.trim() === '' || text.length > longestText)
      report(
        `${path}.${tag}`,
        `This is not a text of 1 to ${longestText} characters.`,
        'Write a text, or remove the member.',
      )
  }
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}

function checkMembers(value: Json, known: readonly string[], path: string, report: Report): void {
  for (const name of Object.keys(value))
    if (!known.includes(name))
      report(`${path}.${name}`, `"${name}" has no meaning here.`, suggest(name, known))
}

function suggest(word: string, candidates: readonly string[]): string {
  const suggestion = nearest(word, candidates)
  if (suggestion !== null) return `Did you mean "${suggestion}"?`
  const shown = candidates.slice(0, 30)
  const more = candidates.length - shown.length
  return candidates.length === 0
    ? 'Remove it.'
    : `Name one of: ${shown.join(', ')}${more > 0 ? ` and ${more} others` : ''}.`
}
