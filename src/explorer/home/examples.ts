/** Worked examples: links to questions that the data can answer, made of values that there are. */
import { chartsAddress, collectionAddress, withLanguage } from '../addresses.ts'
import { fieldLabel, subjectLabel } from '../fields/labels.ts'
import type { ShownField } from '../fields/shown-field.ts'
import type { Subject } from '../fields/subject.ts'
import { html, type Html } from '../html.ts'
import type { Language } from '../languages/language.ts'
import type { Panel } from '../operation.ts'
import type { Answer, Site } from '../page.ts'
import { plainValue } from '../parts/values.ts'
import { emptyView, type View, withCondition, writeView } from '../view/view.ts'

interface Choice {
  readonly subject: Subject
  /** Such as the language. */
  readonly first: ShownField
  /** Such as the tags. */
  readonly second: ShownField
}

interface Group extends Readonly<Record<string, unknown>> {
  readonly count: number
}

/** Two values that records have together, so that the examples find some. Null without two such fields. */
export function chooseExample({ subjects }: Site): Choice | null {
  const choices = subjects.all.flatMap((subject): Choice[] => {
    const own = [...subject.fields.values()].filter(({ isOwn, isGroup, many }) => isOwn && isGroup && !many)
    const [first, other] = subject.roles.facets
      .flatMap((name) => subject.fields.get(name) ?? [])
      .filter(({ isOwn, type, isArray }) => isOwn && type.kind === 'string' && !isArray)
    const topics = own.find(({ isArray, type }) => isArray && type.kind === 'string' && type.format === null)
    const second = topics ?? other
    return first === undefined || second === undefined ? [] : [{ subject, first, second }]
  })
  return choices.find(({ second }) => second.isArray) ?? choices[0] ?? null
}

export function examplePanel({ subject, first, second }: Choice): Panel {
  return {
    name: 'examples',
    field: `${subject.collection.rootField}Aggregate`,
    arguments: { groupBy: [first.name, second.name], orderBy: 'COUNT_DESC', limit: 30 },
    selection: `groups { ${first.name} ${second.name} count }`,
  }
}

export function exampleList(
  choice: Choice | null,
  answer: Answer,
  newest: string | null,
  language: Language,
): Html {
  if (choice === null) return null
  const { subject, first, second } = choice
  const { text } = language
  const { groups = [] } = (answer['examples'] ?? {}) as { groups?: readonly Group[] }
  const known = groups.filter((group) => isText(group[first.name]) && isText(group[second.name]))
  const group = known.find((each) => each[first.name] !== known[0]?.[first.name]) ?? known[0]
  if (group === undefined) return null
  // Topics of the same records, such as those in one language, are the ones to compare.
  const compared = known.find(
    (each) => each[first.name] === group[first.name] && each[second.name] !== group[second.name],
  )
  const value = (field: ShownField, of: Group) => plainValue(field, String(of[field.name]), language)
  const condition = (view: View, field: ShownField, of: Group) =>
    withCondition(view, { field, operator: 'is', values: [String(of[field.name])] })
  const view = emptyView
  const collection = subjectLabel(subject, language)
  const both = text.front.both(
    collection,
    `${fieldLabel(first, language)} ${value(first, group)}`,
    `${fieldLabel(second, language)} ${value(second, group)}`,
  )
  return html`<section class="examples" aria-labelledby="examples">
    <h2 id="examples">${text.front.examples}</h2>
    <ul>
      <li><a href=${address(condition(condition(view, first, group), second, group))}>${both}</a> <span class="count">${language.plural(text.records, group.count)}</span></li>
      ${compared === undefined ? null : html`<li><a href=${compareAddress(group, compared)} rel="nofollow">${text.front.compare(value(second, group), value(second, compared))}</a></li>`}
      ${newest !== null && html`<li><a href=${unusualAddress(newest)} rel="nofollow">${text.front.unusual(collection, language.date(newest))}</a></li>`}
    </ul>
  </section>`

  function address(next: View): string {
    return withLanguage(collectionAddress(subject.collection.nsid, next), language)
  }

  function compareAddress(...of: readonly Group[]): string {
    const queries = of.map((each) => ['query', writeView(condition(view, second, each))] as const)
    const others = [['part', 'compare'] as const, ...queries]
    return withLanguage(chartsAddress(subject.collection.nsid, { ...view, others }), language)
  }

  function unusualAddress(instant: string): string {
    const week = { ...weekTo(instant, view, subject), others: [['part', 'unusual'] as const] }
    return withLanguage(chartsAddress(subject.collection.nsid, week), language)
  }
}

/** Addresses have no blank values. */
function isText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== ''
}

/** Seven days, the last of which is that of the instant. */
function weekTo(instant: string, view: View, { fields, roles }: Subject): View {
  const field = fields.get(roles.time)
  if (field === undefined) return view
  const day = (back: number) => new Date(Date.parse(instant) - back * 86_400_000).toISOString().slice(0, 10)
  const from = withCondition(view, { field, operator: 'from', values: [day(6)] })
  return withCondition(from, { field, operator: 'to', values: [day(0)] })
}
