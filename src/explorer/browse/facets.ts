/** Facets: how many records have each value, with links that include or exclude it. */
import { collectionAddress, facetsAddress, withLanguage } from '../addresses.ts'
import { fieldDescription, fieldLabel } from '../fields/labels.ts'
import { isDiverse, isGroupOffered, type ShownField } from '../fields/shown-field.ts'
import { html, type Html } from '../html.ts'
import { type FacetAnswer, facetSize } from '../lists/list.ts'
import { lateId, later } from '../parts/later.ts'
import { distinctValues } from '../parts/values.ts'
import { isFilteredIn } from '../lists/list-operation.ts'
import { valuesOf, type View, withCondition } from '../view/view.ts'
import { type Browse, checkbox, fieldAddress, stateInputs, viewAddress } from './context.ts'

/** `total`: of the records of the view. */
export function facetList(answers: readonly FacetAnswer[], browse: Browse, total: number | null): Html {
  const isFiltered = isFilteredIn(browse.view)
  return answers.map((answer) => {
    const field = browse.subject.fields.get(answer.field)
    return field === undefined || (hasNoValue(answer) && !isFiltered(field))
      ? null
      : facet({ ...answer, total }, field, browse)
  })
}

export function hasNoValue({ values, cut }: FacetAnswer): boolean {
  return values.length === 0 && !cut
}

/** Facets of the second request: a link, and rows that are as high. */
export function lateFacets(left: readonly ShownField[], { subject, view, language }: Browse): Html {
  if (left.length === 0) return null
  const labels = left.map((field) => fieldLabel(field, language))
  const rowsOf = ({ name, type, values }: ShownField) => {
    const most = type.kind === 'boolean' ? 2 : values.length === 0 ? facetSize : values.length
    const chosen = [...valuesOf(view, name, 'is'), ...valuesOf(view, name, 'not')]
    return Math.min(most, facetSize) + 3 + chosen.length
  }
  const address = withLanguage(facetsAddress(subject.collection.nsid, view), language)
  const room = left.map(
    (field) =>
      html`<ul class="facet room" aria-hidden="true">${Array.from({ length: rowsOf(field) }, () => html`<li><span class="value">\u00a0</span></li>`)}</ul>`,
  )
  return later(lateId('facets'), address, language.list(labels), room)
}

function facet(answer: FacetAnswer, field: ShownField, browse: Browse): Html {
  const { language } = browse
  const label = fieldLabel(field, language)
  const id = `facet-${field.name}`
  return html`<section class="facet" aria-labelledby=${id}>
    <h3 id=${id} title=${fieldDescription(field, language)}>${label}</h3>
    ${facetValues(answer, field, browse, true)}
    ${html`<p class="all"><a href=${fieldAddress(browse, field)} rel="nofollow" aria-label=${`${language.text.more}… ${language.text.browse.allValues(label)}`}>${language.text.more}…</a></p>`}
  </section>`
}

/**
 * The values as links; those that were chosen stay visible, although others have more records. Next to a list the keyboard
 * passes over the links that exclude values: the page of the field, which is linked below them, has them too.
 */
export function facetValues(answer: FacetAnswer, field: ShownField, browse: Browse, isBrief = false): Html {
  const { view, language, names } = browse
  const { text } = language
  const chosen = valuesOf(view, field.name, 'is')
  const excluded = valuesOf(view, field.name, 'not')
  const isMissing = valuesOf(view, field.name, 'missing')[0] === '1'
  const set = (next: View, operator: 'is' | 'not' | 'missing', values: readonly string[]) =>
    withCondition(next, { field, operator, values })
  const without = (values: readonly string[], value: string) => values.filter((each) => each !== value)
  /** The address with the value chosen, or excluded; without it where it is already. */
  const toggling = (operator: 'is' | 'not', value: string) => {
    const [own, other] = operator === 'is' ? [chosen, excluded] : [excluded, chosen]
    const values = own.includes(value) ? without(own, value) : [...own, value]
    const from = operator === 'is' && isMissing ? set(view, 'missing', []) : view
    const rest = set(from, operator === 'is' ? 'not' : 'is', without(other, value))
    return viewAddress(browse, set(rest, operator, values))
  }
  const others = [...chosen, ...excluded].filter(
    (value) => !answer.values.some((each) => each.value === value),
  )
  const own = view.conditions.filter((each) => each.field.name === field.name)
  const isOnly = own.length === 1 && chosen.length === 1
  const shown: readonly { value: string; count: number | null }[] = [
    ...answer.values,
    ...[...new Set(others)].map((value) => ({ value, count: isOnly ? (answer.total ?? null) : null })),
  ]
  const all = shown.map(({ value }) => value)
  const named = distinctValues(field, all, language, names)
  const most = Math.max(1, ...shown.map(({ count }) => count ?? 0))
  return html`<ul>
    ${shown.map(({ value, count }) => {
      const name = named.get(value) ?? value
      const address = toggling('is', value)
      const isExcluded = excluded.includes(value)
      const exclude = toggling('not', value)
      return html`<li class=${isExcluded ? 'excluded' : undefined}>
        <a class="value" href=${address} title=${address === null ? text.noAddress : undefined} rel="nofollow" aria-current=${chosen.includes(value) ? 'true' : undefined}>
          <span class="name" dir="auto" title=${name === value ? undefined : value}>${name}</span>
          ${count !== null && html`<span class="count">${language.number(count)}</span>`}
          ${count !== null && html`<progress max=${most} value=${count} aria-hidden="true"></progress>`}
        </a>
        ${exclude !== null && html`<a class="exclude" href=${exclude} rel="nofollow" tabindex=${isBrief ? -1 : undefined} title=${isExcluded ? text.include : text.exclude} aria-label=${`${isExcluded ? text.include : text.exclude}: ${name}`}>${isExcluded ? '+' : '−'}</a>`}
      </li>`
    })}
    ${
      ((answer.missing ?? 0) > 0 || isMissing) &&
      html`<li>
        <a class="value missing" href=${viewAddress(browse, set(isMissing ? view : set(view, 'is', []), 'missing', isMissing ? [] : ['1']))} rel="nofollow" aria-current=${isMissing ? 'true' : undefined}>
          <span class="name">${text.missing}</span>
          ${answer.missing !== null && html`<span class="count">${language.number(answer.missing)}</span>`}
        </a>
      </li>`
    }
  </ul>`
}

/** Facets of the collection that the page does not show, and the choice of those that it shows. */
export function otherFacets(shown: readonly ShownField[], browse: Browse): Html {
  const { subject, view, language } = browse
  const { text } = language
  const groups = [...subject.fields.values()].filter(
    (field) => isGroupOffered(field) && field.type.kind !== 'datetime',
  )
  const hidden = groups.filter((field) => field.isOwn && !shown.includes(field))
  const offered = groups.filter((field) => !field.many && !isDiverse(field, subject.roles))
  return html`<details class="more" open=${shown.length === 0 && view.page === null && view.facets !== null}>
    <summary>${text.browse.moreFacets}</summary>
    <ul>${hidden.map((field) => html`<li><a href=${fieldAddress(browse, field)} rel="nofollow" title=${fieldDescription(field, language)}>${fieldLabel(field, browse.language)}</a></li>`)}</ul>
    <details>
      <summary>${text.browse.facets}</summary>
      <form action=${collectionAddress(subject.collection.nsid)} class="choices">
        ${stateInputs(browse, (name) => name === 'facets')}
        ${offered.map((field) => checkbox('facets', field.name, shown.includes(field), fieldLabel(field, language)))}
        <button>${text.apply}</button>
      </form>
    </details>
  </details>`
}
