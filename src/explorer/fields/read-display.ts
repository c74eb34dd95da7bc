/** Reads `display.json`, and reports everything in it that names nothing or fits nothing. */
import { leafName, leafPath, propertyLeaves } from '../../schema/model/leaves.ts'
import type { Collection, Field } from '../../schema/model/model.ts'
import { isUrl } from '../../schema/model/where-operators.ts'
import { isObject } from '../../util/is-object.ts'
import { languages } from '../languages/language.ts'
import { type DisplayProblem, Part, suggest } from './display-part.ts'
import type { PageRoles } from './guesses.ts'
import { type Counts, type Labels, noValueLabels, type Scale, type ValueLabels } from './labels.ts'
import { isFacet, type ShownField } from './shown-field.ts'
import type { CollectionDisplay, FieldDisplay, FieldGroup, PageSubject } from './subject.ts'

const example = 'Write an object such as {"org.example.book": {"label": {"en": "Books"}}}.'
const collectionMembers =
  'label singular count description title summary time image link facets columns hidden groups fields'.split(
    ' ',
  )
/** Of `facets` in GraphQL. */
const mostFacets = 10
const longestText = 1_000

const tags = languages.map(({ tag }) => tag)

/** `subjects` are those that the file is about, without it. */
export function readDisplay(file: unknown, subjects: readonly PageSubject[]) {
  const problems: DisplayProblem[] = []
  const display = new Map<string, CollectionDisplay>()
  for (const [nsid, part] of new Part(file, '', problems).members(example)) {
    const subject = subjects.find(({ collection }) => collection.nsid === nsid)
    const names = subjects.map(({ collection }) => collection.nsid)
    if (subject === undefined) part.report(`There is no collection "${nsid}".`, suggest(nsid, names))
    else if (part.isObject(example)) display.set(nsid, readCollection(part, subject))
  }
  return { display, problems }
}

function readCollection(part: Part, subject: PageSubject): CollectionDisplay {
  const { nsid } = subject.collection
  const { fields } = subject
  const members = membersOf(subject.collection)
  part.check(collectionMembers)

  const namesOf = (fits: (field: ShownField) => boolean): readonly string[] =>
    [...fields.values()].filter(fits).map(({ name }) => name)
  /** A field that represents a record; null says that there is none, undefined leaves the guess. */
  const role = (name: string, fits: (field: ShownField) => boolean, what: string) => {
    const given = part.at(name)
    const { value } = given
    if (value === undefined || value === null) return value
    const found = typeof value === 'string' ? fields.get(value) : undefined
    if (found !== undefined && fits(found)) return found.name
    const shown = JSON.stringify(value)
    const problem = found === undefined ? `${nsid} has no field ${shown}.` : `${shown} is not ${what}.`
    given.report(problem, suggest(String(value), namesOf(fits)))
    return undefined
  }
  const list = (name: string, fits: (field: ShownField) => boolean): readonly string[] | undefined =>
    part.at(name).value === undefined ? undefined : readNames(part.at(name), namesOf(fits), fields)

  const names = [...new Set([...members.keys(), ...fields.keys()])]
  const roles: { -readonly [Name in keyof PageRoles]?: PageRoles[Name] | undefined } = {
    title: role('title', isText, 'a text of the record itself'),
    summary: role('summary', isText, 'a text of the record itself'),
    time: role('time', isTime, 'a time of the record itself') ?? undefined,
    image: role('image', isAddress, 'a URI of the record itself'),
    link: role('link', isAddress, 'a URI of the record itself'),
    facets: list('facets', isFacet),
    columns: list('columns', ({ many }) => !many),
  }
  if (roles.facets !== undefined && roles.facets.length > mostFacets)
    part.at('facets').report(`There are ${roles.facets.length} facets.`, `Name ${mostFacets} at most.`)
  const hidden = part.at('hidden')
  const outer = [...members].flatMap(([name, { path }]) => (path.length === 1 ? name : []))
  return {
    label: readLabels(part.at('label')),
    singular: readLabels(part.at('singular')),
    count: readCounts(part.at('count')),
    description: readLabels(part.at('description')),
    roles: Object.fromEntries(Object.entries(roles).filter(([, given]) => given !== undefined)),
    hidden: new Set(hidden.value === undefined ? [] : readNames(hidden, names)),
    groups: readGroups(part.at('groups'), outer),
    fields: new Map(
      part
        .at('fields')
        .members('Write an object such as {"pages": {"label": {"en": "Pages"}}}.')
        .flatMap(([name, field]): (readonly [string, FieldDisplay])[] => {
          if (names.includes(name)) return readField(field, name, members.get(name))
          field.report(`${nsid} has no field "${name}".`, suggest(name, names))
          return []
        }),
    ),
  }
}

function isText({ isOwn, many, isArray, properties, type }: ShownField): boolean {
  return isOwn && !many && !isArray && properties.length > 0 && type.kind === 'string'
}

function isTime({ isOwn, many, isArray, type }: ShownField): boolean {
  return isOwn && !many && !isArray && type.kind === 'datetime'
}

function isAddress(field: ShownField): boolean {
  return isText(field) && isUrl(field.type)
}

interface RecordMember {
  /** The names of the fields that lead to it; joined by underscores they are its own. */
  readonly path: readonly string[]
  readonly field: Field
}

/** The members of a record by name: its fields first, then those of its objects. */
export function membersOf({ type }: Collection): ReadonlyMap<string, RecordMember> {
  return new Map(
    propertyLeaves(type).map((leaf) => [leafName(leaf), { path: leafPath(leaf), field: leaf.field }]),
  )
}

function readGroups(part: Part, names: readonly string[]): readonly FieldGroup[] {
  const { value } = part
  if (value !== undefined && !Array.isArray(value))
    part.report(
      'This is not a list.',
      'Write a list such as [{"label": {"en": "Scores"}, "fields": ["impact"]}].',
    )
  if (!Array.isArray(value)) return []
  const grouped = new Set<string>()
  return value.flatMap((_, at): FieldGroup[] => {
    const group = part.at(String(at))
    if (!group.isObject('Give it "label" and "fields".')) return []
    group.check(['label', 'fields'])
    const fields = readNames(group.at('fields'), names)
    for (const name of fields) {
      if (grouped.has(name)) group.at('fields').report(`"${name}" is in two groups.`, 'Name it once.')
      grouped.add(name)
    }
    return [{ label: readLabels(group.at('label')), fields }]
  })
}

function readField(
  part: Part,
  name: string,
  member: RecordMember | undefined,
): (readonly [string, FieldDisplay])[] {
  if (!part.isObject('Give it "label", "scale" or "values".')) return []
  part.check(['label', 'scale', 'values'])
  const label = readLabels(part.at('label'))
  const scale = readScale(part.at('scale'), member)
  return [[name, { label, scale, values: readValueLabels(part.at('values'), member) }]]
}

function readScale(part: Part, member: RecordMember | undefined): Scale | null {
  if (part.value === undefined) return null
  if (member?.field.type.kind !== 'integer') {
    part.report('Only an integer of the record itself has a scale.', 'Remove it.')
    return null
  }
  if (!part.isObject('Write one such as {"min": 1, "max": 10, "low": {"en": "minor"}}.')) return null
  part.check(['min', 'max', 'low', 'high'])
  const { minimum, maximum } = member.field.constraints
  const bound = (name: string, given: number | null): unknown => {
    const { value } = part.at(name)
    return value === undefined ? given : value
  }
  const [min, max] = [bound('min', minimum), bound('max', maximum)]
  if (!isInteger(min) || !isInteger(max) || min >= max) {
    part.report(
      'A scale has integers "min" and "max", and "min" is less.',
      'The lexicon gives those that are left out.',
    )
    return null
  }
  return { min, max, low: readLabels(part.at('low')), high: readLabels(part.at('high')) }
}

function isInteger(value: unknown): value is number {
  return Number.isSafeInteger(value)
}

/** Labels of the values of a text, or of an array of texts, of the record itself. */
function readValueLabels(part: Part, member: RecordMember | undefined): ValueLabels {
  if (part.value === undefined) return noValueLabels
  const type = member?.field.type
  if (member === undefined || (type?.kind === 'array' ? type.of : type)?.kind !== 'string') {
    part.report('Only texts of the record itself have labels of values.', 'Remove it.')
    return noValueLabels
  }
  const { values } = member.field.constraints
  const labels = part.members('Write one such as {"novel": {"en": "Novel"}}.')
  for (const [name, label] of labels)
    if (values.length > 0 && !values.includes(name))
      label.report(`The lexicon does not list "${name}".`, suggest(name, values))
  return new Map(labels.map(([name, label]) => [name, readLabels(label)]))
}

/** `fields`: those of the record, of which some are not among the choices. */
function readNames(
  part: Part,
  choices: readonly string[],
  fields: PageSubject['fields'] = new Map(),
): readonly string[] {
  if (!Array.isArray(part.value)) {
    part.report('This is not a list of fields.', 'Write a list such as ["title"].')
    return []
  }
  return [...new Set<unknown>(part.value)].filter((name): name is string => {
    const isChoice = choices.some((choice) => choice === name)
    const reason =
      fields.get(String(name))?.many === true
        ? `"${name}" is inside an array of objects, or of records that refer, which lists do not show.`
        : `There is no field ${JSON.stringify(name)} for this.`
    if (!isChoice) part.report(reason, suggest(String(name), choices))
    return isChoice
  })
}

function readLabels(part: Part): Labels {
  if (part.value === undefined) return {}
  if (!isObject(part.value)) {
    part.report('This is not an object of texts by language.', 'Write one such as {"en": "Books"}.')
    return {}
  }
  const isText = (text: unknown): text is string => typeof text === 'string'
  for (const [tag, text] of Object.entries(part.value)) {
    if (!tags.includes(tag))
      part.at(tag).report(`Pages are not in the language "${tag}".`, `They are in: ${tags.join(', ')}.`)
    else if (!isText(text) || text.trim() === '' || text.length > longestText)
      part
        .at(tag)
        .report(
          `This is not a text of 1 to ${longestText} characters.`,
          'Write a text, or remove the member.',
        )
  }
  return Object.fromEntries(
    Object.entries(part.value).filter((entry): entry is [string, string] => isText(entry[1])),
  )
}

function readCounts(part: Part): Counts {
  const counts = part.members('Write one such as {"en": {"one": "{n} book", "other": "{n} books"}}.')
  return Object.fromEntries(
    counts.flatMap(([tag, count]) => {
      const isKnown = tags.includes(tag)
      const wanted = isKnown ? new Intl.PluralRules(tag).resolvedOptions().pluralCategories : []
      const forms = isObject(count.value) ? count.value : {}
      if (isKnown && wanted.every((category) => typeof forms[category] === 'string'))
        return [[tag, forms as unknown as Counts[string]]]
      count.report(
        'This does not count records in a language of the pages.',
        isKnown ? `Write a text for each of: ${wanted.join(', ')}.` : `They are in: ${tags.join(', ')}.`,
      )
      return []
    }),
  )
}
