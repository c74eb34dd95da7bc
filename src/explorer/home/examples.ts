/** Worked examples: links to questions that the data can answer, made of values that there are. */
import { chartsAddress, collectionAddress, topicAddress, withLanguage } from '../addresses.ts'
import { dateText } from '../chart-data/periods.ts'
import { fieldLabel, subjectLabel } from '../fields/labels.ts'
import { entityField } from '../fields/named-references.ts'
import { readField, selectFields } from '../fields/record-selection.ts'
import type { ShownField } from '../fields/shown-field.ts'
import type { PageSubject } from '../fields/subject.ts'
import { html, type Html } from '../html.ts'
import type { Language } from '../languages/language.ts'
import type { Panel } from '../../ask/operation.ts'
import type { Answer, Site } from '../page.ts'
import { plainValue } from '../parts/values.ts'
import { isReadable } from '../view/conditions.ts'
import { emptyView, type View, withCondition } from '../view/view.ts'

const mostExamples = 5

interface ExampleFields {
  readonly subject: PageSubject
  /** Such as the language. */
  readonly first: ShownField
  /** Such as the tags, and what stands for them where records have none. */
  readonly seconds: readonly ShownField[]
}

/** Values that a record has together. */
interface Pair {
  readonly first: string
  readonly second: string
  /** The records that have the second, by their place on the page. */
  readonly records: ReadonlySet<number>
}

/** A page, which is found in the order of an index: groups of all records would be most of what the page costs. */
const examined = 100

/** Two values that records have together, so that the examples find some. Null without two such fields. */
export function chooseExample({ subjects }: Site): ExampleFields | null {
  const choices = subjects.all.flatMap((subject): ExampleFields[] => {
    const own = [...subject.fields.values()].filter(({ isOwn, isGroup, many }) => isOwn && isGroup && !many)
    const [first, ...others] = subject.roles.facets
      .flatMap((name) => subject.fields.get(name) ?? [])
      .filter(({ isOwn, type, isArray }) => isOwn && type.kind === 'string' && !isArray)
    const topics = own.find(({ isArray, type }) => isArray && type.kind === 'string' && type.format === null)
    const seconds = topics === undefined ? others : [topics, ...others]
    return first === undefined || seconds.length === 0 ? [] : [{ subject, first, seconds }]
  })
  return choices.find(({ seconds }) => seconds[0]?.isArray) ?? choices[0] ?? null
}

/** The newest records, so that examples are about what there is now. */
export function examplePanel({ subject: { collection }, first, seconds }: ExampleFields): Panel {
  return {
    name: 'examples',
    field: collection.rootField,
    arguments: { first: examined },
    selection: { nodes: selectFields([first, ...seconds]) },
  }
}

/** The most frequent first. */
function pairsOf({ first }: ExampleFields, second: ShownField, answer: Answer): readonly Pair[] {
  const { nodes = [] } = (answer['examples'] ?? {}) as { readonly nodes?: readonly Answer[] }
  const textsOf = (node: Answer, field: ShownField): readonly string[] =>
    [readField(node, field)]
      .flat()
      .filter((value) => typeof value === 'string')
      .filter((value) => isReadable(field, 'is', value))
  const recordsOf = Map.groupBy(
    nodes.flatMap((node, at) => textsOf(node, second).map((value) => ({ value, at }))),
    ({ value }) => value,
  )
  const pairs = nodes.flatMap((node) =>
    textsOf(node, first).flatMap((one) =>
      textsOf(node, second).map((other) => ({ first: one, second: other })),
    ),
  )
  return [...Map.groupBy(pairs, (pair) => JSON.stringify(pair)).values()]
    .toSorted((one, other) => other.length - one.length)
    .flatMap(([pair]) => pair ?? [])
    .map((pair) => ({ ...pair, records: new Set((recordsOf.get(pair.second) ?? []).map(({ at }) => at)) }))
}

/** The first field whose values occur with different ones of the first field, or else the first that has any. */
function knownPairs(
  choice: ExampleFields,
  answer: Answer,
): { second: ShownField; known: readonly Pair[] } | null {
  const all = choice.seconds.map((second) => ({ second, known: pairsOf(choice, second, answer) }))
  const some = all.filter(({ known }) => known.length > 0)
  return some.find(({ known }) => choosePair(known)?.compared !== undefined) ?? some[0] ?? null
}

/** Not the most usual value of all; and topics of the same kind of records, such as those in one language. */
function choosePair(known: readonly Pair[]): { pair: Pair; compared: Pair | undefined } | null {
  const usual = known[0]?.first
  const others = known.filter((each) => each.first !== usual)
  const found = [...others, ...known].map((pair) => ({
    pair,
    compared: known.find((each) => each.first === pair.first && isOtherSet(each, pair)),
  }))
  return found.find(({ compared }) => compared !== undefined) ?? found[0] ?? null
}

/** Most records of either do not have the other. */
function isOtherSet({ records: one, second }: Pair, { records: other, second: value }: Pair): boolean {
  return (
    second !== value && [...one].filter((at) => other.has(at)).length * 2 <= Math.min(one.size, other.size)
  )
}

export function exampleList(choice: ExampleFields | null, answer: Answer, language: Language): Html {
  if (choice === null) return null
  const { subject, first } = choice
  const { text } = language
  const found = knownPairs(choice, answer)
  const chosen = found === null ? null : choosePair(found.known)
  const shown = (field: ShownField, value: string) => plainValue(field, value, language)
  const condition = (view: View, field: ShownField, value: string) =>
    withCondition(view, { field, operator: 'is', values: [value] })
  const view = emptyView
  const collection = subjectLabel(subject, language)
  const entity = entityField(subject)
  const facets = subject.roles.facets.flatMap((name) => subject.fields.get(name) ?? [])
  const examples = [
    ...(found === null || chosen === null ? [] : pairExamples(found.second, chosen)),
    ...[...new Set([first, entity, ...choice.seconds, ...facets])].flatMap((field) =>
      field === null || !field.isGroup ? [] : groupExample(field),
    ),
  ]
  return html`<section class="examples" aria-labelledby="examples">
    <h2 id="examples">${text.front.examples}</h2>
    <ul>
      ${examples.slice(0, mostExamples).map(({ name, href }) => html`<li><a href=${href} rel="nofollow">${name}</a></li>`)}
    </ul>
  </section>`

  function pairExamples(second: ShownField, { pair, compared }: NonNullable<typeof chosen>) {
    const both = text.front.both(
      collection,
      `${fieldLabel(first, language)} ${shown(first, pair.first)}`,
      `${fieldLabel(second, language)} ${shown(second, pair.second)}`,
    )
    const href = address(condition(condition(view, first, pair.first), second, pair.second))
    if (compared === undefined || subject.collection.searchFields.length === 0) return [{ name: both, href }]
    const name = text.front.compare(shown(second, pair.second), shown(second, compared.second))
    return [
      { name: both, href },
      { name, href: compareAddress(second, [pair, compared]) },
    ]
  }

  /** Of all records, so that it always shows some. */
  function groupExample(field: ShownField) {
    const others = [['part', 'groups'] as const, ['by', field.name] as const]
    const href = withLanguage(chartsAddress(subject.collection.nsid, { ...view, others }), language)
    return [{ name: text.front.grouped(collection, fieldLabel(field, language)), href }]
  }

  function address(next: View): string | null {
    return withLanguage(collectionAddress(subject.collection.nsid, next), language)
  }

  function compareAddress(second: ShownField, of: readonly Pair[]): string | null {
    const others = of.map((each) => ['q', `"${shown(second, each.second)}"`] as const)
    return withLanguage(topicAddress(subject.collection.nsid, { ...view, others }), language)
  }
}

/** Seven days, the last of which is that of the instant. */
export function weekTo(instant: string, view: View, { fields, roles }: PageSubject): View {
  const field = fields.get(roles.time)
  if (field === undefined) return view
  const day = (back: number) => dateText(Date.parse(instant) - back * 86_400_000)
  const from = withCondition(view, { field, operator: 'from', values: [day(6)] })
  return withCondition(from, { field, operator: 'to', values: [day(0)] })
}
