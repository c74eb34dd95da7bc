/** Worked examples: links to questions that the data can answer, made of values that there are. */
import { viewAddress } from '../browse/context.ts'
import { dateText } from '../chart-data/periods.ts'
import { type Grouping, groupingBy, groupingLabel, groupingsOf } from '../chart-data/grouping.ts'
import { fieldLabel, subjectLabel } from '../fields/labels.ts'
import { entityField } from '../fields/named-references.ts'
import { readField, selectFields } from '../fields/record-selection.ts'
import type { ShownField } from '../fields/shown-field.ts'
import type { PageSubject } from '../fields/subject.ts'
import { html, type Html } from '../html.ts'
import type { Language } from '../languages/language.ts'
import { fieldsNamed, type ListNode } from '../lists/list.ts'
import type { Panel } from '../../ask/operation.ts'
import type { Answer } from '../page.ts'
import { isPresent, plainValue } from '../parts/values.ts'
import { isReadable } from '../view/conditions.ts'
import { emptyView, type View, withCondition } from '../view/view.ts'

const mostExamples = 5
/** Units of the records' time, in the order in which they are offered where there are few fields to group by. */
const usualUnits = ['month', 'weekday', 'hourOfDay', 'day', 'year']

interface ExampleFields {
  readonly subject: PageSubject
  /** Such as the language; null where records have no such field. */
  readonly first: ShownField | null
  /** Such as the tags, and what stands for them where records have none. */
  readonly seconds: readonly ShownField[]
  /** These, what records belong to, and other facets. */
  readonly groups: readonly ShownField[]
}

/** A page, which is found in the order of an index: groups of all records would be most of what the page costs. */
const examined = 100

/** Of one of the collections, which have records: if possible with two values that records have together. */
export function chooseExample(filled: readonly PageSubject[]): ExampleFields | null {
  const choices = filled.map((subject): ExampleFields => {
    const own = [...subject.fields.values()].filter(({ isOwn, isGroup, many }) => isOwn && isGroup && !many)
    const facets = fieldsNamed(subject, subject.roles.facets)
    const [first = null, ...others] = facets.filter(
      ({ isOwn, type, isArray }) => isOwn && type.kind === 'string' && !isArray,
    )
    const topics = own.find(({ isArray, type }) => isArray && type.kind === 'string' && type.format === null)
    const seconds = topics === undefined ? others : [topics, ...others]
    const groups = [...new Set([first, entityField(subject), ...seconds, ...facets])]
    return { subject, first, seconds, groups: groups.flatMap((field) => (field?.isGroup ? field : [])) }
  })
  const timed = choices.filter(
    ({ subject: { fields, roles } }) => fields.get(roles.time)?.properties.length !== 0,
  )
  // Declarations and settings have no time of their own.
  const known = timed.length > 0 ? timed : choices
  const pairs = known.filter(({ first, seconds }) => first !== null && seconds.length > 0)
  const [most = null] = known.toSorted((a, b) => b.groups.length - a.groups.length)
  return pairs.find(({ seconds }) => seconds[0]?.isArray) ?? pairs[0] ?? most
}

/** The time of one of the newest records, from which examples count back; null where none of them has one. */
export function newestTime({ collection, roles }: PageSubject, answer: Answer): string | null {
  const times = nodesOf(collection.rootField, answer).map((node) => node[roles.time])
  const known = times.filter((time) => typeof time === 'string' && !Number.isNaN(Date.parse(time)))
  return known.length === 0 ? null : String(known[0])
}

export function nodesOf(name: string, answer: Answer): readonly ListNode[] {
  const { nodes = [] } = (answer[name] ?? {}) as { readonly nodes?: readonly ListNode[] }
  return nodes
}

/** The newest records, so that examples are about what there is now. */
export function examplePanel({ subject: { collection }, groups }: ExampleFields): Panel {
  return {
    name: 'examples',
    field: collection.rootField,
    arguments: { first: examined },
    selection: { nodes: selectFields(groups) },
  }
}

/** Values that records have together, the most frequent first. */
function pairsOf(first: ShownField, second: ShownField, answer: Answer) {
  const textsOf = (node: Answer, field: ShownField): readonly string[] =>
    [readField(node, field)]
      .flat()
      .filter((value) => typeof value === 'string')
      .filter((value) => isReadable(field, 'is', value))
  const pairs = nodesOf('examples', answer).flatMap((node) =>
    textsOf(node, first).flatMap((one) =>
      textsOf(node, second).map((other) => ({ first: one, second: other })),
    ),
  )
  return [...Map.groupBy(pairs, (pair) => JSON.stringify(pair)).values()]
    .toSorted((one, other) => other.length - one.length)
    .flatMap(([pair]) => pair ?? [])
}

/** Of the first field that occurs with the other one; if possible not the most usual value of that. Null without any. */
function choosePair({ first, seconds }: ExampleFields, answer: Answer) {
  if (first === null) return null
  for (const second of seconds) {
    const known = pairsOf(first, second, answer)
    const pair = known.find((each) => each.first !== known[0]?.first) ?? known[0]
    if (pair !== undefined) return { first, second, pair }
  }
  return null
}

export function exampleList(choice: ExampleFields | null, answer: Answer, language: Language): Html {
  if (choice === null) return null
  const { subject, groups } = choice
  const { text } = language
  const chosen = choosePair(choice, answer)
  const shown = (field: ShownField, value: string) => plainValue(field, value, language)
  const condition = (view: View, field: ShownField, value: string) =>
    withCondition(view, { field, operator: 'is', values: [value] })
  const view = emptyView
  const collection = subjectLabel(subject, language)
  // All records have a time of indexing.
  const time = newestTime(subject, answer) === null ? 'indexedAt' : subject.roles.time
  const groupings = groupingsOf(subject).filter(({ field }) => field.name === time)
  const nodes = nodesOf('examples', answer)
  const examples = [
    ...(chosen === null ? [] : [pairExample(chosen)]),
    ...groups
      .filter((field) => nodes.some((node) => [readField(node, field)].flat().some(isPresent)))
      .map((field) => groupExample(groupingBy(field))),
    ...usualUnits.flatMap((unit) => groupings.filter((each) => each.unit === unit).map(groupExample)),
  ]
  return html`<section class="examples" aria-labelledby="examples">
    <h2 id="examples">${text.front.examples}</h2>
    <ul>
      ${examples.slice(0, mostExamples).map(({ name, href }) => html`<li><a href=${href} rel="nofollow">${name}</a></li>`)}
    </ul>
  </section>`

  function pairExample({ first: one, second, pair }: NonNullable<typeof chosen>) {
    const name = text.front.both(
      collection,
      `${fieldLabel(one, language)} ${shown(one, pair.first)}`,
      `${fieldLabel(second, language)} ${shown(second, pair.second)}`,
    )
    const next = condition(condition(view, one, pair.first), second, pair.second)
    return { name, href: viewAddress({ subject, language }, next) }
  }

  /** Of all records, so that it always shows some. */
  function groupExample(grouping: Grouping) {
    const others = [['part', 'groups'] as const, ['by', grouping.name] as const]
    const href = viewAddress({ subject, language, place: 'charts' }, { ...view, others })
    return { name: text.front.grouped(collection, groupingLabel(grouping, language)), href }
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
