/** The records that refer to a record: side by side where they are few, otherwise those indexed last. */
import type { Field } from '../../schema/model/model.ts'
import { counted, singularLabel, subjectLabel } from '../fields/labels.ts'
import { memberLabel, type PageSubject, referringLabel } from '../fields/subject.ts'
import { html, type Html, linked } from '../html.ts'
import { briefColumns } from '../lists/list.ts'
import { type Result, results } from '../parts/results.ts'
import { kindTimeAndKey, type ReadValue } from '../parts/record-name.ts'
import { isPresent, recordLink } from '../parts/values.ts'
import { valueAddress } from '../browse/context.ts'
import type { RecordNode, Referring, ReferringAnswer } from './record-operation.ts'
import { languageOf, mostReferring } from './record-operation.ts'
import { valueAt } from '../../util/is-object.ts'
import { fieldValue, fieldWords, type ValueContext } from './values.ts'

type BesideContext = Omit<ValueContext, 'textLanguage' | 'filterBy' | 'isCompact' | 'path'>

export function incoming(node: RecordNode, referring: readonly Referring[], shown: BesideContext): Html {
  return referring.map((each) => {
    const answer = node[each.name] as ReferringAnswer | undefined
    return answer === undefined || answer.totalCount === 0 ? null : section(node.uri, each, answer, shown)
  })
}

function section(
  uri: string,
  { name, holder, field, reference }: Referring,
  { totalCount, nodes }: ReferringAnswer,
  shown: BesideContext,
): Html {
  const { language } = shown
  const { text } = language
  const all = field === null ? null : valueAddress({ subject: holder, language }, field, uri)
  const found = nodes.map((node) => resultOf(node, holder))
  return html`<section class="incoming" id=${name}>
    <h2>${referringLabel(holder, name, shown.subject, language)}</h2>
    <p>${linked(all, counted(holder, totalCount, language))}${totalCount > nodes.length && ` · ${text.newestIndexed}`}</p>
    ${
      totalCount <= mostReferring
        ? sideBySide(nodes, holder, reference.path[0] ?? '', shown)
        : results(found, 'list', [], { subject: holder, language })
    }
  </section>`
}

function resultOf({ uri, recordJson }: ReferringAnswer['nodes'][number], holder: PageSubject): Result {
  const values = briefColumns(holder).map(({ name, properties }) => [name, valueAt(recordJson, properties)])
  return { uri, values: Object.fromEntries(values), snippets: {} }
}

/** A column for each record, and a row for each field; rows whose values are all the same are marked. */
function sideBySide(
  nodes: ReferringAnswer['nodes'],
  holder: PageSubject,
  without: string,
  shown: BesideContext,
): Html {
  const { language } = shown
  const used = holder.collection.type.fields.filter(
    ({ name, property }) =>
      property !== without &&
      !holder.display.hidden.has(name) &&
      nodes.some(({ recordJson }) => isPresent(recordJson[property])),
  )
  const told = used.find((field) => tellsApart(field, nodes))
  return html`<div class="scroll" tabindex="0" role="region" aria-label=${subjectLabel(holder, language)}>
    <table class="compared">
      <thead><tr>
        <td></td>
        ${nodes.map(({ uri, recordJson }) => {
          const read: ReadValue = ({ properties }) => valueAt(recordJson, properties)
          const name =
            told === undefined
              ? kindTimeAndKey(read, holder, nodes.length === 1 ? null : uri, language)
              : html`<bdi>${singularLabel(holder, language)} · ${recordJson[told.property]}</bdi>`
          return html`<th scope="col">${recordLink(uri, name, language)}</th>`
        })}
      </tr></thead>
      <tbody>${used.map((field) => {
        const isSame =
          nodes.length > 1 &&
          new Set(nodes.map(({ recordJson }) => JSON.stringify(recordJson[field.property]))).size === 1
        return html`<tr class=${isSame ? 'same' : undefined}>
          <th scope="row" title=${fieldWords(field, holder, language)}>${memberLabel(holder, [field.name], language)}</th>
          ${nodes.map(
            ({ recordJson }) =>
              html`<td>${fieldValue(field, recordJson, {
                ...shown,
                subject: holder,
                textLanguage: languageOf(recordJson, holder),
                filterBy: () => null,
                isCompact: true,
                path: [],
              })}</td>`,
          )}
        </tr>`
      })}</tbody>
    </table>
  </div>`
}

/** Whether a short text, such as the name of a model, tells each of several records from the others. */
function tellsApart({ type, property }: Field, nodes: ReferringAnswer['nodes']): boolean {
  if (nodes.length < 2 || type.kind !== 'string') return false
  if (type.format !== null || type.freeText || type.categorical) return false
  const texts = nodes.map(({ recordJson }) => recordJson[property])
  return texts.every((text) => typeof text === 'string') && new Set(texts).size === nodes.length
}
