/** The conditions on a field, with its most frequent values: for filters that facets do not offer. */
import { type Browse, viewAddress } from '../browse/context.ts'
import { facetValues } from '../browse/facets.ts'
import { fieldList, findForm } from '../browse/filter-menu.ts'
import { conditionForms } from '../browse/filter-forms.ts'
import { conditionList, searchesOf, withInnerQuotes } from '../browse/sentences.ts'
import { fieldDescription, fieldLabel, subjectLabel } from '../fields/labels.ts'
import type { ShownField } from '../fields/shown-field.ts'
import type { PageSubject } from '../fields/subject.ts'
import { html, type Html } from '../html.ts'
import type { Language } from '../languages/language.ts'
import { affordableOperations, buildOperation } from '../../ask/operation.ts'
import type { Answer, Draft, PageRequest, Site } from '../page.ts'
import type { FacetAnswer } from '../lists/list.ts'
import { conditionNames, facetNames, readNames } from '../lists/names.ts'
import { facetOf, findCondition, valuePanel } from '../lists/values.ts'
import { type Condition, isList, mostConditions, readConditions } from '../view/conditions.ts'
import { filterParameters, timeParameters, topicParameters } from '../view/parameters.ts'
import { type Problem, unknownChoice } from '../view/problem.ts'
import { readView, searchOfAny, valuesOf, type View, withCondition } from '../view/view.ts'
import { problemPage } from './failure.ts'

export function filterPage(site: Site, subject: PageSubject, request: PageRequest): Draft {
  const { parameters, language } = request
  const { text } = language
  const last = (name: string): string => parameters.findLast(([each]) => each === name)?.[1] ?? ''
  const place = last('for') === 'topic' ? 'topic' : 'list'
  const known = place === 'list' ? timeParameters : topicParameters
  const read = readView(parameters, subject, [...filterParameters, ...known])
  const others = read.view.others.filter(([name]) => !filterParameters.includes(name))
  const view = { ...read.view, others, page: null }
  const field = subject.fields.get(last('field')) ?? null
  const description = field === null ? undefined : fieldDescription(field, language)
  const find = last('find').trim().slice(0, 200)
  const [operator, value] = [last('op'), last('value')]
  const isSent = field !== null && operator !== '' && value.trim() !== ''
  const sent = readConditions(isSent ? [[`${field.name}.${operator}`, value]] : [], subject)
  const problems: readonly Problem[] = [
    ...read.problems,
    ...(field === null && last('field') !== '' ? [unknownChoice('field', last('field'), [])] : []),
    ...sent.problems,
  ]
  const title = field === null ? text.filtering.add : text.filtering.by(fieldLabel(field, language))
  if (problems.length > 0) {
    const kept = isSent ? parameters.filter(([name]) => name !== 'op' && name !== 'value') : parameters
    return problemPage(problems, title, { ...request, parameters: kept })
  }
  const [condition] = sent.conditions
  const next = condition ? viewAddress({ subject, language, place }, withMore(view, condition)) : null
  if (condition !== undefined && next === null)
    return problemPage([{ kind: 'tooManyConditions', most: mostConditions }], title, request)
  // The records of any topic are counted, or of the first one where no search finds all of them.
  const searches = searchesOf(view)
  const any = searchOfAny(searches, subject.collection)
  const topics = any === null ? searches.slice(0, 1) : searches
  const counted = { ...view, search: any ?? topics[0] ?? '' }
  const panels = field?.isGroup === true ? [valuePanel(field, find, counted, subject)] : []
  const named = conditionNames(view.conditions)
  const asked = [...panels, ...named]
  const facetIn = (answer: Answer, find: string) =>
    field && facetOf(answer, field, find, readNames(answer), language)
  return {
    title,
    location: next,
    operation: asked.length === 0 ? null : buildOperation(site.schema, 'Filter', asked),
    more: (answer) => affordableOperations(site, facetNames([facetIn(answer, '')], subject)),
    render(answer) {
      const names = readNames(answer)
      const browse: Browse = { site, subject, view, language, names, place }
      const facet = facetIn(answer, find)
      return html`
        <header class="heading">
          <p><a href=${viewAddress(browse, view)}>${language.direction === 'rtl' ? '→' : '←'} ${text.filtering.back}: ${subjectLabel(subject, language)}</a></p>
          <h1>${title}</h1>
          ${description !== undefined && html`<p class="lead"><bdi>${description}</bdi></p>`}
        </header>
        ${conditionList(browse)}
        <div class="filter">
          ${field === null ? fieldList(find, browse) : conditionForms(field, facet, browse)}
          ${field !== null && facet !== null && values(facet, field, browse)}
        </div>
      `
    },
  }

  function values(facet: FacetAnswer, of: ShownField, browse: Browse): Html {
    return html`<section class="facet wide" aria-label=${text.browse.allValues(fieldLabel(of, language))}>
      ${topics.length > 0 && html`<p class="none">${subjectLabel(subject, language)}: ${language.anyOf(topics.map((each) => `“${withInnerQuotes(each)}”`))}</p>`}
      ${findForm('values', text.filtering.find, find, browse, of)}
      <div id="values" data-cut=${facet.cut ? 'true' : undefined}>
        ${facet.values.length === 0 && html`<p class="empty">${text.filtering.noValues}</p>`}
        ${facetValues(facet, of, browse)}
        ${facet.cut && html`<p class="none">${cutNote(facet, of, language)}</p>`}
      </div>
    </section>`
  }
}

/** Which of the values are shown, where there are more. */
function cutNote({ values, among }: FacetAnswer, field: ShownField, { text, number }: Language): string {
  if (among !== undefined && among > values.length) return text.filtering.lookedThrough(number(among))
  const shown = text.filtering.mostFrequent(number(values.length))
  return findCondition(field, 'a') === null ? shown : `${shown} ${text.filtering.findOthers}`
}

/** Values of lists are added to those that are there. */
function withMore(view: View, condition: Condition): View {
  const { field, operator, values } = condition
  const present = isList(operator) ? valuesOf(view, field.name, operator) : []
  return withCondition(view, { ...condition, values: [...new Set([...present, ...values])] })
}
