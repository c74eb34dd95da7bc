/** Facets: how many records have each value, with links that include or exclude it. */
import { collectionAddress } from '../addresses.ts'
import { labelOf, type Subject } from '../fields/subject.ts'
import type { ShownField } from '../fields/shown-field.ts'
import { html, type Html } from '../html.ts'
import type { Language } from '../languages/language.ts'
import { valuesOf, type View, withCondition } from '../view/view.ts'
import { withLanguage } from './frame.ts'
import { plainValue, recordText } from './values.ts'

export interface FacetAnswer {
  readonly field: string
  readonly values: readonly { readonly value: string; readonly count: number }[]
  readonly missing: number
  readonly cut: boolean
}

export function facetList(
  answers: readonly FacetAnswer[],
  view: View,
  subject: Subject,
  language: Language,
): Html {
  return answers.map((answer) => {
    const field = subject.fields.get(answer.field)
    return field === undefined ? null : facet(answer, field, view, subject, language)
  })
}

function facet(
  answer: FacetAnswer,
  field: ShownField,
  view: View,
  subject: Subject,
  language: Language,
): Html {
  const { text } = language
  const chosen = valuesOf(view, field.name, 'is')
  const excluded = valuesOf(view, field.name, 'not')
  const missing = valuesOf(view, field.name, 'missing')[0] === '1'
  const to = (next: View) => withLanguage(collectionAddress(subject.collection.nsid, next), language)
  const including = (value: string) =>
    to(
      withCondition(view, {
        field,
        operator: 'is',
        values: chosen.includes(value) ? chosen.filter((each) => each !== value) : [...chosen, value],
      }),
    )
  const excluding = (value: string) =>
    to(
      withCondition(
        withCondition(view, { field, operator: 'is', values: chosen.filter((each) => each !== value) }),
        {
          field,
          operator: 'not',
          values: [...excluded, value],
        },
      ),
    )
  // Those that were chosen stay visible, although others have more records.
  const shown = [
    ...answer.values,
    ...chosen
      .filter((value) => !answer.values.some((each) => each.value === value))
      .map((value) => ({ value, count: 0 })),
  ]
  const most = Math.max(1, ...shown.map(({ count }) => count))
  return html`<section class="facet" data-field=${field.name}>
    <h3 title=${field.description}>${labelOf(field.words)}</h3>
    <ul>
      ${shown.map(
        ({ value, count }) => html`<li>
          <a class="value" href=${including(value)} rel="nofollow" aria-current=${chosen.includes(value) ? 'true' : undefined}>
            <span class="name">${recordText(plainValue(field, value, language))}</span>
            <span class="count">${language.number(count)}</span>
            <meter min="0" max=${most} value=${count} aria-hidden="true"></meter>
          </a>
          <a class="exclude" href=${excluding(value)} rel="nofollow" aria-label=${`${text.exclude} ${value}`}>−</a>
        </li>`,
      )}
      ${
        (answer.missing > 0 || missing) &&
        html`<li>
        <a class="value missing" href=${to(withCondition(view, { field, operator: 'missing', values: missing ? [] : ['1'] }))} rel="nofollow" aria-current=${missing ? 'true' : undefined}>
          <span class="name">${text.missing}</span>
          <span class="count">${language.number(answer.missing)}</span>
        </a>
      </li>`
      }
    </ul>
  </section>`
}
