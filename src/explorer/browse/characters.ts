/** What `contains` finds of a search without results, in scripts whose words a dictionary finds. */
import { unspacedTerms } from '../../search/unspaced.ts'
import type { PageSubject } from '../fields/subject.ts'
import { html, type Html } from '../html.ts'
import type { Panel } from '../../ask/operation.ts'
import type { Answer } from '../page.ts'
import { changed, recordArguments, type View, withCondition } from '../view/view.ts'
import { type Browse, viewAddress } from './context.ts'
import { sentenceOf } from './sentences.ts'

/** The number of records of each view with characters instead of words. */
export function characterPanels(view: View, subject: PageSubject): readonly Panel[] {
  if (view.search === '') return []
  return viewsInstead(view, subject).map((instead) => ({
    name: instead.name,
    field: subject.collection.rootField,
    arguments: { ...recordArguments(instead.view) },
    selection: { totalCount: {} },
  }))
}

/** Links to those of these views that have records; `label`: before each. */
export function characterLinks(answer: Answer, browse: Browse, label: Html = null): Html {
  const { language, names } = browse
  return viewsInstead(browse.view, browse.subject).map(({ name, condition, view }) => {
    const { totalCount = 0 } = (answer[name] ?? {}) as { totalCount?: number }
    if (totalCount === 0) return null
    const sentence = sentenceOf(condition, condition.values[0] ?? '', language, names)
    return html`<p class="suggestions"><a href=${viewAddress(browse, view)} rel="nofollow">${label}${sentence}</a>
      <span class="count">${language.number(totalCount)}</span></p>`
  })
}

function viewsInstead(view: View, { collection, fields }: PageSubject) {
  const names = collection.searchFields.map(({ name }) => name)
  const conditions = unspacedTerms(view.search, names).flatMap(({ characters, field: only }) =>
    names
      .filter((name) => only === null || only === name)
      .flatMap((name) => fields.get(name) ?? [])
      .map((field) => ({ field, operator: 'contains' as const, values: [characters] })),
  )
  return conditions.map((condition, at) => {
    const instead = changed(withCondition(view, condition), { search: '' })
    return { name: `characters${at}Of${collection.typeName}`, condition, view: instead }
  })
}
