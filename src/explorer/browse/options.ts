/** The bar over the records: their number, their order, and how they are shown. */
import { collectionAddress } from '../addresses.ts'
import { fieldDescription, fieldLabel, nounOf, nounTitle } from '../fields/labels.ts'
import { membersOf } from '../fields/named-references.ts'
import { isCollectionName, type ShownField } from '../fields/shown-field.ts'
import { html, type Html } from '../html.ts'
import { zoneNote } from '../parts/values.ts'
import { changed, isUnranked, type Show } from '../view/view.ts'
import { type Browse, checkbox, stateInputs, viewAddress } from './context.ts'
import { listCount } from './sentences.ts'

/** `undated`: how many records lack the time that represents them; null if that is not known. */
export function optionsBar(
  total: number,
  undated: number | null,
  columns: readonly ShownField[],
  browse: Browse,
): Html {
  const { language, view } = browse
  return html`<div class="bar">
    <p class="total" data-total=${total}><strong>${listCount(total, view, browse.subject, language)}</strong></p>
    ${total > 0 && zoneNote(language)}
    ${total > 0 && orderNote(undated, browse)}
    <div class="options">
      ${sortForm(browse)} ${showLinks(browse)} ${view.show === 'table' && columnForm(columns, browse, 'menu')}
    </div>
  </div>`
}

/** Where records are that lack what the order is by. */
function orderNote(undated: number | null, { subject, view, language }: Browse): Html {
  const { collection, fields, roles } = subject
  const { text } = language
  const field = fields.get(view.sort?.field ?? '')
  if (view.sort === null || field === undefined) return null
  const own = collection.type.fields.find(({ name }) => name === field.name)
  const mayMiss = own?.mayMiss ?? field.properties.length > 1
  const isRestricted = view.conditions.some((each) => each.field === field && each.operator !== 'not')
  if (!mayMiss || isRestricted || (field.name === roles.time && undated === 0)) return null
  const said = text.browse[view.sort.direction === 'desc' ? 'missingLast' : 'missingFirst']
  return html`<p class="none">${said(nounTitle(subject, language), fieldLabel(field, language))}</p>`
}

function sortForm(browse: Browse): Html {
  const { subject, view, language } = browse
  const { text } = language
  const current = view.sort && `${view.sort.direction === 'desc' ? '-' : ''}${view.sort.field}`
  const members = membersOf(subject, browse.site.subjects)
  const option = (value: string, label: string) =>
    html`<option value=${value} selected=${value === (current ?? '')}>${label}</option>`
  const sorts = sortsOf(browse)
  const counted = subject.collection.referredBy.find(
    ({ viaField }) => `${viaField}_count` === view.sort?.field,
  )
  const usual = sorts
    .filter(({ name }) => [subject.roles.time, ...subject.roles.columns].includes(name))
    .slice(0, 5)
  const directions = (name: string, label: string) => {
    const { ascending, descending } = text.browse
    return [option(`-${name}`, descending(label)), option(name, ascending(label))]
  }
  const options = (fields: readonly ShownField[]) =>
    fields.map((field) => directions(field.name, fieldLabel(field, language)))
  return html`<form class="sort" action=${collectionAddress(subject.collection.nsid)}>
    ${stateInputs(browse, (name) => name === 'sort')}
    <label><span class="hidden">${text.sort}</span>
      <select name="sort">
        ${option('', view.stories || isUnranked(view.search, subject.collection) ? text.newestFirst : text.mostRelevant)}
        ${counted && directions(`${counted.viaField}_count`, nounTitle(browse.site.subjects.of(counted.collection), language))}
        ${members !== null && members.name !== counted?.viaField && option(`-${members.count}`, text.topic.most(nounOf(members.holder, language)))}
        ${options(usual)}
        <optgroup label=${text.more}>${options(sorts.filter((field) => !usual.includes(field)))}</optgroup>
      </select></label>
    <button>${text.sort}</button>
  </form>`
}

/** Times and numbers first. An order by address or account has no meaning for readers, unless they have chosen it. */
function sortsOf({ subject, view }: Browse): readonly ShownField[] {
  const rank = ({ type }: ShownField) => ['datetime', 'integer', 'string'].indexOf(type.kind)
  const isUsed = ({ type, name }: ShownField) =>
    name !== 'uri' && name !== 'did' && !(type.kind === 'string' && type.use.page === 'address')
  return [...subject.fields.values()]
    .filter(
      (field) => field.isSort && (field.name === view.sort?.field || (rank(field) >= 0 && isUsed(field))),
    )
    .toSorted((one, other) => rank(one) - rank(other))
}

function showLinks(browse: Browse): Html {
  const { view, language, subject } = browse
  const { text } = language
  const shows: readonly Show[] =
    subject.roles.image === null && view.show !== 'cards' ? ['list', 'table'] : ['list', 'table', 'cards']
  return html`<nav class="shows" aria-label=${text.show}>
    ${shows.map((show) => html`<a href=${viewAddress(browse, { ...view, show })} rel="nofollow" aria-current=${show === view.show ? 'true' : undefined}>${text[show]}</a>`)}
  </nav>
  ${
    subject.collection.stories !== null &&
    html`<nav class="shows" aria-label=${text.story.each}>
      <a href=${viewAddress(browse, changed(view, { stories: !view.stories }))} rel="nofollow" aria-current=${view.stories ? 'true' : undefined}>${text.story.each}</a>
    </nav>`
  }`
}

/** Chooses the columns of tables and files. `place`: of the bar, or of the menu of files. */
export function columnForm(columns: readonly ShownField[], browse: Browse, place: 'menu' | 'program'): Html {
  const { subject, language } = browse
  const { text } = language
  const others = [...subject.fields.values()].filter(({ many }) => !many)
  const offered = [...new Set([...columns, ...others])].filter((field) => !isCollectionName(field))
  const address = collectionAddress(subject.collection.nsid)
  return html`<details class=${place}>
    <summary>${text.browse.columns}</summary>
    <form class="choices" action=${place === 'menu' ? address : `${address}#take`}>
      ${stateInputs(browse, (name) => name === 'columns')}
      ${offered.map((field) => checkbox('columns', field.name, columns.includes(field), fieldLabel(field, language)))}
      <button>${text.apply}</button>
    </form>
  </details>`
}

/** The head of a column that sorts by it, the other way round the second time; null where that is not possible. */
export function columnHead(field: ShownField, browse: Browse): Html {
  const { view } = browse
  const label = fieldLabel(field, browse.language)
  if (!field.isSort) return null
  const current = view.sort?.field === field.name ? view.sort.direction : null
  const sort = { field: field.name, direction: current === 'desc' ? ('asc' as const) : ('desc' as const) }
  const order = current === null ? undefined : current === 'desc' ? 'descending' : 'ascending'
  return html`<th scope="col" title=${fieldDescription(field, browse.language)} aria-sort=${order}>
    <a href=${viewAddress(browse, changed(view, { sort }))} rel="nofollow">${label}${current !== null && html`<span aria-hidden="true">${current === 'desc' ? ' ↓' : ' ↑'}</span>`}</a>
  </th>`
}
