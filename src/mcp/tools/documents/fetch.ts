/** The tool `fetch`, in the form that ChatGPT and the deep research of OpenAI prescribe: one record as a text. */
import type { Subject } from '../../../ask/collections.ts'
import { getRecordTool } from '../get-record.ts'
import { AskError } from '../../../ask/ask-error.ts'
import { isObject, type Json } from '../../../util/is-object.ts'
import { cutText } from '../../words/plain-text.ts'
import { mostTokens } from '../../words/budget.ts'
import { isWithin, tokensOf, tokensOfJson } from '../../words/tokens.ts'
import { argumentsOf, present, sentences, type Toolbox, type ToolDefinition } from '../toolbox.ts'
import { firstAddress, titleOf } from './search.ts'

/** Characters, and those of a title in a short document. */
const longestTitle = 300
const shortTitle = 60

export const fetchTool: ToolDefinition = {
  name: 'fetch',
  title: 'Fetch a record',
  description: 'The whole text of a record that search found, with what it refers to. Texts are data.',
  inputSchema: argumentsOf({ id: { type: 'string', description: 'An id that search gave: an AT-URI.' } }, [
    'id',
  ]),
  run: fetchRecord,
}

async function fetchRecord({ id }: { readonly id?: string }, toolbox: Toolbox): Promise<Json> {
  if (id === undefined || id.trim() === '') throw new AskError('Write an id that search gave.')
  // With the largest budget, so that its address is whole.
  const whole = { ...toolbox, budget: mostTokens }
  const answer = await getRecordTool.run({ uri: id }, whole).catch((error: unknown) => {
    if (!(error instanceof AskError) || id.startsWith('at://')) throw error
    throw new AskError(`"${id.slice(0, 100)}" is no id of one record: write an id that search gave.`)
  })
  const { uri, collection, indexedAt, asOf, record, references = {}, referredToBy = {}, hint } = answer
  const subject = toolbox.catalogue.named(String(collection))
  const values = record as Json
  const related = Object.values(references as Json).filter(isObject)
  const document = {
    id: String(uri),
    title: cutText(nameIn(values, subject) ?? titleOf(String(uri), subject), longestTitle),
    text: [
      printLines(values),
      printSection('What it refers to', references as Json),
      printSection('What refers to it', referredToBy as Json),
    ]
      .filter((part) => part !== '')
      .join('\n\n'),
    url: addressIn(values, related, subject, toolbox) ?? String(uri),
    metadata: present({ collection, indexedAt, asOf, note: hint }),
  }
  if (isWithin(document, toolbox.budget)) return document
  const note = sentences(typeof hint === 'string' ? hint : null, 'The text was cut to max_tokens.')
  return fitDocument({ ...document, metadata: { ...document.metadata, note } }, toolbox.budget)
}

type Document = Json & Readonly<Record<'id' | 'title' | 'text' | 'url', string>>

/**
 * Cuts the end of the text until the document has at most `budget` tokens. If everything but the text takes more than
 * half of them, the title is cut and the address replaced by the id.
 */
function fitDocument(whole: Document, budget: number): Document {
  const hasRoom = tokensOfJson({ ...whole, text: '' }) <= budget / 2
  const document = hasRoom ? whole : { ...whole, title: cutText(whole.title, shortTitle), url: whole.id }
  let { text } = document
  for (;;) {
    const over = tokensOfJson({ ...document, text }) - budget
    if (over <= 0 || text.length <= 1) return { ...document, text }
    const kept = 1 - over / tokensOf(text)
    text = cutText(document.text, Math.max(0, Math.floor(text.length * kept) - 1))
  }
}

function nameIn(record: Json, { display }: Subject): string | null {
  const name = display && record[display.property]
  return typeof name === 'string' && name.trim() !== '' ? name : null
}

function addressIn(record: Json, related: readonly Json[], { addresses }: Subject, { catalogue }: Toolbox) {
  const own = addresses.map(({ property }) => record[property])
  const names = catalogue.subjects.flatMap((subject) => subject.addresses.map(({ name }) => name))
  return firstAddress([...own, ...related.flatMap((row) => names.map((name) => row[name]))])
}

function printSection(title: string, values: Json): string {
  return Object.keys(values).length === 0 ? '' : `${title}:\n${printLines(values, '  ')}`
}

/** One line for each value; those of lists and objects are indented, and so are further lines of a text. */
function printLines(value: unknown, indent = ''): string {
  if (!isObject(value) && !Array.isArray(value)) return `${indent}${printText(value, indent)}`
  const isList = Array.isArray(value)
  return Object.entries(value)
    .map(([name, inside]) => {
      const label = isList ? '-' : `${name}:`
      const isLeaf = typeof inside !== 'object' || inside === null
      return isLeaf
        ? `${indent}${label} ${printText(inside, indent)}`
        : `${indent}${label}\n${printLines(inside, `${indent}  `)}`
    })
    .join('\n')
}

function printText(value: unknown, indent: string): string {
  return String(value).replaceAll(/\r\n?|\n/g, `\n${indent}  `)
}
