/** Worked examples: links to questions that the data can answer, made of values that there are. */
import { chartsAddress, collectionAddress, withLanguage } from '../addresses.ts'
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
  const pairs = nodes.flatMap((node) =>
    textsOf(node, first).flatMap((one) =>
      textsOf(node, second).map((other) => ({ first: one, second: other })),
    ),
  )
  return [...Map.groupBy(pairs, (pair) => JSON.stringify(pair)).values()]
    .toSorted((one, other) => other.length - one.length)
    .flatMap(([pair]) => pair ?? [])
}

/** Of the first field that occurs with the other one; if possible not the most usual value of that. */
function choosePair(choice: ExampleFields, answer: Answer): { second: ShownField; pair: Pair } | null {
  for (const second of choice.seconds) {
    const known = pairsOf(choice, second, answer)
    const pair = known.find((each) => each.first !== known[0]?.first) ?? known[0]
    if (pair !== undefined) return { second, pair }
  }
  return null
}

export function exampleList(choice: ExampleFields | null, answer: Answer, language: Language): Html {
  if (choice === null) return null
  const { subject, first } = choice
  const { text } = language
  const chosen = choosePair(choice, answer)
  const shown = (field: ShownField, value: string) => plainValue(field, value, language)
  const condition = (view: View, field: ShownField, value: string) =>
    withCondition(view, { field, operator: 'is', values: [value] })
  const view = emptyView
  const collection = subjectLabel(subject, language)
  const entity = entityField(subject)
  const facets = subject.roles.facets.flatMap((name) => subject.fields.get(name) ?? [])
  const examples = [
    ...(chosen === null ? [] : [pairExample(chosen)]),
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

  function pairExample({ second, pair }: NonNullable<typeof chosen>) {
    const name = text.front.both(
      collection,
      `${fieldLabel(first, language)} ${shown(first, pair.first)}`,
      `${fieldLabel(second, language)} ${shown(second, pair.second)}`,
    )
    const next = condition(condition(view, first, pair.first), second, pair.second)
    return { name, href: withLanguage(collectionAddress(subject.collection.nsid, next), language) }
  }

  /** Of all records, so that it always shows some. */
  function groupExample(field: ShownField) {
    const others = [['part', 'groups'] as const, ['by', field.name] as const]
    const href = withLanguage(chartsAddress(subject.collection.nsid, { ...view, others }), language)
    return [{ name: text.front.grouped(collection, fieldLabel(field, language)), href }]
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
