/** How fresh the index is, and where its records come from. */
import { html, type Html } from '../html.ts'
import { subjectLabel } from '../fields/labels.ts'
import type { Subjects } from '../fields/subject.ts'
import type { Language } from '../languages/language.ts'
import { type IndexState, instantOf } from '../page.ts'
import { timeAndZone } from '../parts/values.ts'

export function indexState(
  { collections, sources }: IndexState,
  subjects: Subjects,
  language: Language,
): Html {
  const { text } = language
  return html`<section class="index" aria-labelledby="index">
    <h2 id="index">${text.front.index}</h2>
    <dl>
      ${collections.map(({ name, newestIndexedAt }) => {
        const subject = subjects.of(name)
        return html`<div>
          <dt>${subject === null ? name : subjectLabel(subject, language)}</dt>
          <dd>${newestIndexedAt === null ? '–' : timeAndZone(instantOf(newestIndexedAt), language)}</dd>
        </div>`
      })}
      ${sources.map(
        ({ name, state, lagSeconds }) => html`<div>
          <dt><bdi>${name}</bdi></dt>
          <dd><bdi>${state}</bdi>${lagSeconds !== null && `, ${text.front.lag(language.number(Math.round(lagSeconds)))}`}</dd>
        </div>`,
      )}
    </dl>
  </section>`
}
