/** What `contains` finds of a search without results, in scripts whose words a dictionary finds. */
import { html, type Html } from '../html.ts'
import type { Subject } from '../fields/subject.ts'
import type { Panel } from '../operation.ts'
import type { Answer } from '../page.ts'
import { unspacedTerms } from '../../search/unspaced.ts'
import type { ListAnswer } from '../lists/list.ts'
import { changed, type View, withCondition } from '../view/view.ts'
import { recordArguments } from '../view/where.ts'
import { type Browse, viewAddress } from './context.ts'
import { sentenceOf } from './sentences.ts'

/** The number of records of each other view. */
export function characterPanels(answer: Answer, view: View, subject: Subject): readonly Panel[] {
  const { totalCount } = answer['list'] as ListAnswer
  if (totalCount > 0 || view.search === '') return []
  return conditionsOf(view, subject).map((condition, at) => ({
    name: `characters${at}`,
    field: subject.collection.rootField,
    arguments: { ...recordArguments(insteadOf(view, condition)) },
    selection: 'totalCount',
  }))
}

/** Links to the other views that have records. */
export function characterLinks(answer: Answer, browse: Browse): Html {
  const { view, subject, language, names } = browse
  return conditionsOf(view, subject).map((condition, at) => {
    const { totalCount = 0 } = (answer[`characters${at}`] ?? {}) as { totalCount?: number }
    if (totalCount === 0) return null
    const [before, value, after] = sentenceOf(condition, condition.values[0] ?? '', language, names)
    const address = viewAddress(browse, insteadOf(view, condition))
    return html`<p class="suggestions"><a href=${address} rel="nofollow">${before}${value}${after}</a>
      <span class="count">${language.number(totalCount)}</span></p>`
  })
}

function conditionsOf({ search }: View, { collection: { searchFields }, fields }: Subject) {
  const names = searchFields.map(({ name }) => name)
  return unspacedTerms(search, names).flatMap(({ characters, field: only }) =>
    searchFields.flatMap(({ name, path }) => {
      const field = only === null || only === name ? fields.get(path.join('.')) : undefined
      return field === undefined ? [] : [{ field, operator: 'contains' as const, values: [characters] }]
    }),
  )
}

function insteadOf(view: View, condition: ReturnType<typeof conditionsOf>[number]): View {
  return changed(withCondition(view, condition), { search: '' })
}
