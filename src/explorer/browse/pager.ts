/** Links to other pages of the same records. */
import { html, type Html } from '../html.ts'
import type { ListAnswer } from '../lists/list.ts'
import { changed } from '../view/view.ts'
import { type Browse, viewAddress } from './context.ts'

export function pager({ pageInfo }: Pick<ListAnswer, 'pageInfo'>, browse: Browse): Html {
  const { hasNextPage, hasPreviousPage, startCursor, endCursor } = pageInfo
  const { view, language } = browse
  const { text } = language
  if (!hasNextPage && !hasPreviousPage && view.page === null) return null
  const page = (side: 'before' | 'after', cursor: string | null) =>
    viewAddress(browse, { ...view, page: { side, cursor: cursor ?? '' } })
  return html`<nav class="pages" aria-label=${text.browse.pages}>
    ${view.page !== null && html`<a href=${viewAddress(browse, changed(view, {}))} rel="nofollow">${text.firstPage}</a>`}
    ${hasPreviousPage && html`<a href=${page('before', startCursor)} rel="prev nofollow">${text.previous}</a>`}
    ${hasNextPage && html`<a class="next" href=${page('after', endCursor)} rel="next nofollow">${text.next}</a>`}
  </nav>`
}
