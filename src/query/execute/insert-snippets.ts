/**
 * Replaces texts in the answer of a statement by snippets, because databases do not know the rules of words. The
 * statement returns each text as `number:JSON` between two control characters, which JSON texts never contain; the
 * number is that of its plan.
 */
import { snippetOf, type Snippet } from '../../search/snippet.ts'
import { isConstant } from '../plan/plan-facts.ts'
import type { Fields } from '../plan/fields.ts'
import { snippetEnd, snippetSource, snippetStart, type SnippetPlan } from '../plan/plan.ts'

/** UTF-16 units of texts after which others may be answered: up to some 15 ms, in Chinese. */
const mostAtOnce = 10_000

/** The answer's body with snippets; in steps, because the words of a long Chinese text take 15 ms. */
export function* insertSnippets(
  body: Uint8Array,
  plans: readonly SnippetPlan[],
): Generator<void, Uint8Array> {
  if (plans.length === 0) return body
  const whole = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const parts: Uint8Array[] = []
  let [at, characters] = [0, 0]
  for (let start = whole.indexOf(snippetStart); start !== -1; start = whole.indexOf(snippetStart, at)) {
    const end = whole.indexOf(snippetEnd, start)
    const inside = whole.toString('utf8', start + 1, end)
    const number = inside.slice(0, inside.indexOf(':'))
    const text = inside.slice(number.length + 1)
    const plan = plans[Number(number)]
    if (plan === undefined) throw new Error(`There is no snippet ${number}.`)
    const json = text === 'null' ? text : printed(String(JSON.parse(text)), plan)
    parts.push(whole.subarray(at, start), Buffer.from(json))
    at = end + 1
    characters += text.length
    if (characters < mostAtOnce) continue
    characters = 0
    yield
  }
  // A copy in memory of its own, because an answer's memory is released when it is sent: `concat` may share its memory.
  return new Uint8Array(Buffer.concat([...parts, whole.subarray(at)]))
}

function printed(text: string, { terms, words, fields }: SnippetPlan): string {
  const snippet = snippetOf(beginning(text), terms, words)
  return objectOf(fields, (output) =>
    output.kind === 'text' ? JSON.stringify(snippet.text) : ranges(snippet, output.fields),
  )
}

/** Without half a surrogate pair at its end. */
function beginning(text: string): string {
  if (text.length <= snippetSource) return text
  const cut = text.slice(0, snippetSource)
  return cut.isWellFormed() ? cut : cut.slice(0, -1)
}

function ranges(snippet: Snippet, fields: Fields<{ readonly kind: 'start' | 'end' }>): string {
  return `[${snippet.ranges.map((range) => objectOf(fields, ({ kind }) => String(range[kind]))).join(',')}]`
}

function objectOf<Kind extends { readonly kind: string }>(
  fields: Fields<Kind>,
  value: (output: Kind) => string,
): string {
  const members = fields.map(
    ({ key, output }) => `${JSON.stringify(key)}:${isConstant(output) ? output.json : value(output)}`,
  )
  return `{${members.join(',')}}`
}
