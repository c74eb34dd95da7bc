/** Words, and the period of the collection's main time; other searches that find more. */
import { unspacedTerms } from '../../search/parse-search.ts'
import { collectionAddress, topicAddress } from '../addresses.ts'
import { countIn, countPanel } from '../chart-data/time-axis.ts'
import { mostTopics, topicName } from '../chart-data/topic-chart.ts'
import { fieldLabel, subjectLabel } from '../fields/labels.ts'
import { membersOf } from '../fields/named-references.ts'
import type { PageSubject } from '../fields/subject.ts'
import { html, type Html } from '../html.ts'
import type { Language } from '../languages/language.ts'
import { foldText } from '../../util/text/fold.ts'
import type { MissingWord } from '../lists/list.ts'
import type { Panel } from '../../ask/operation.ts'
import type { Answer } from '../page.ts'
import { changed, recordArguments, valuesOf, type View, withCondition } from '../view/view.ts'
import { type Browse, stateInputs, viewAddress } from './context.ts'
import { boundInputs } from './filter-forms.ts'
import { phrasesOf, sentenceOf } from './sentences.ts'

/** `topics`: their searches; absent on the page of a list. */
export function searchForm(browse: Browse, topics: readonly string[] | null = null): Html {
  const { site, view, subject, language } = browse
  const { collection, roles, fields } = subject
  const { text } = language
  const time = fields.get(roles.time)
  const members = topics === null ? membersOf(subject, site.subjects) : null
  // People look for outlets and the like by a part of their name; such records have no topics.
  const title = members === null || view.search !== '' ? undefined : fields.get(roles.title ?? '')
  const [input, kind] =
    title === undefined ? ['q', ''] : [`${title.name}.contains`, `: ${fieldLabel(title, language)}`]
  // The first operator of a time has no name in addresses.
  const own = [input, `${roles.time}.from`, `${roles.time}.to`, roles.time]
  const label = text.searchIn(subjectLabel(subject, language)) + kind
  const hasWords = collection.searchFields.length > 0
  const address = hasWords && members === null ? topicAddress : collectionAddress
  const [part = view.search] = valuesOf(view, title?.name ?? '', 'contains')
  const searches = [...(topics ?? [part]), ...(topics === null ? [] : [''])].slice(0, mostTopics)
  return html`<form class="search" action=${address(collection.nsid)} role="search">
    ${
      hasWords &&
      searches.map((search, at) => {
        const own =
          at === 0 ? label : search === '' ? text.topic.add : text.topic.number(language.number(at + 1))
        return html`<label class="words"><span class="hidden">${own}</span>
          <input type="search" name=${input} value=${search} maxlength="1000" placeholder=${own} title=${title ? undefined : text.browse.searchLead} data-key=${at === 0 ? '/' : undefined} dir="auto" /></label>`
      })
    }
    ${title && view.sort === null && html`<input type="hidden" name="sort" value=${`-${members?.count}`} />`}
    ${
      time !== undefined &&
      html`<fieldset class="dates"><legend class="hidden">${text.browse.dates(fieldLabel(time, language))}</legend>
        ${boundInputs(time, browse)}
      </fieldset>`
    }
    ${stateInputs(browse, (name) => own.includes(name))}
    <button class="main">${text.search}</button>
  </form>`
}

/** The search with the words that were meant: all of them at once, then each by itself. */
export function suggestions(
  missing: readonly MissingWord[],
  search: string,
  language: Language,
  addressOf: (search: string) => string | null,
): Html {
  const best = missing.reduce(
    (better, { word, nearest }) => replaced(better, word, nearest[0]?.word ?? word),
    search,
  )
  const others = missing.flatMap(({ word, nearest }) =>
    nearest.slice(0, 3).map((near) => replaced(search, word, near.word)),
  )
  // What is folded alike finds the same.
  const isOther = (each: string): boolean => foldText(each) !== foldText(search)
  const searches = [...new Set([best, ...others])].filter(isOther).slice(0, 5)
  if (searches.length === 0) return null
  return html`<p class="suggestions">${language.text.didYouMean}
    ${searches.map((each) => html` <a href=${addressOf(each)} rel="nofollow">${each}</a>`)}
  </p>`
}

/** Whole words are replaced, in any case and with or without accents. */
function replaced(search: string, word: string, by: string): string {
  return search.replaceAll(/[\p{L}\p{N}\p{M}\p{DI}]+/gu, (each) =>
    foldText(each) === foldText(word) ? by : each,
  )
}

/** The records of a search or filter lead to their topic; from there is a way back. */
export function glance({ site, subject, view, language, names }: Browse): Html {
  if (membersOf(subject, site.subjects) !== null) return null
  const others = view.search === '' ? [] : [['q', view.search] as const]
  const address = viewAddress({ subject, language, place: 'topic' }, { ...view, search: '', others })
  const said = view.search === '' ? '' : phrasesOf(view.conditions, subject, language, names)
  const topic = `${topicName(view, language, names)} ${said}`.trimEnd()
  return html`<p class="glance"><a href=${address} rel="nofollow">${language.text.topic.glance(topic)}</a></p>`
}

/** The number of records of each view with characters instead of words. */
export function characterPanels(view: View, subject: PageSubject): readonly Panel[] {
  if (view.search === '') return []
  return viewsInstead(view, subject).map((instead) =>
    countPanel(subject, instead.name, recordArguments(instead.view)),
  )
}

/** Links to those of these views that have records; `label`: before each. */
export function characterLinks(answer: Answer, browse: Browse, label: Html = null): Html {
  const { language, names } = browse
  return viewsInstead(browse.view, browse.subject).map(({ name, condition, view }) => {
    const count = countIn(answer, name)
    if (count === 0) return null
    const sentence = sentenceOf(condition, condition.values[0] ?? '', language, names)
    return html`<p class="suggestions"><a href=${viewAddress(browse, view)} rel="nofollow">${label}${sentence}</a>
      <span class="count">${language.number(count)}</span></p>`
  })
}

/** What `contains` finds of a search without results, in scripts whose words a dictionary finds. */
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
