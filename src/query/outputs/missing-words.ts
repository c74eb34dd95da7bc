/** `didYouMean` of a list: the words of a search that no record has, each with the nearest words that records have. */
import type { WordIndex } from '../../database/layout/tables.ts'
import { mostEdits, mostMissingWords, mostNearWords } from '../../search/nearest-words.ts'
import { type Search, wantedTerms } from '../../search/parse-search.ts'
import { anyOf, join, raw, type Sql, sql } from '../../sql/sql.ts'
import { emitObject, emitRowsArray } from '../emit/emit-output.ts'
import type { Emitter } from '../emit/emitter.ts'
import type { Optimizer } from '../optimize/optimizer.ts'
import type { Collected } from '../parse/prepare.ts'
import { constantOutput, fieldsBelow, namedBelow } from '../plan/build-fields.ts'
import type { Constant } from '../plan/fields.ts'
import type { MissingWordOutput, MissingWordsPlan, PlanContext } from '../plan/plan.ts'
import { selectedSize, weights } from '../price/cost-weights.ts'

/** `search`: null if it is blank. */
export function buildMissingWords(
  context: PlanContext,
  collected: Collected,
  search: Search | null,
  indexes: readonly WordIndex[],
): MissingWordsPlan | Constant {
  const words = search === null ? [] : wholeWords(search).slice(0, mostMissingWords)
  if (words.length === 0) return constantOutput([])
  const fields = fieldsBelow(
    context,
    collected,
    (below): MissingWordOutput =>
      below.name === 'word' ? { kind: 'word' } : { kind: 'nearest', fields: namedBelow(context, below) },
  )
  return { kind: 'missingWords', indexes, words, fields }
}

/** Each once; the beginning of a word is none. */
function wholeWords(search: Search): readonly string[] {
  const words = wantedTerms(search).flatMap((term) => (term.prefix ? term.words.slice(0, -1) : term.words))
  return [...new Set(words)]
}

/** The vocabularies of collections together are assumed to be as large as that of one. */
export function missingWordSize({ fields }: MissingWordsPlan): number {
  const printed = selectedSize(fields, (output) =>
    output.kind === 'nearest'
      ? weights.value + weights.lookup + mostNearWords * (1 + output.fields.length) * weights.value
      : weights.value,
  )
  return weights.value + weights.word + printed
}

/** Looking for words near to one takes as long as reading so many records. */
const nearWordsRows = 20_000

/** A vocabulary has the words of hidden accounts too, so nothing is suggested until their records are moved away. */
export function planMissingWords(
  optimizer: Optimizer,
  missing: MissingWordsPlan,
): MissingWordsPlan | Constant {
  const { statistics, state, estimate } = optimizer
  if (state.hiding) return { kind: 'constant', json: '[]' }
  const isRare = (word: string): boolean =>
    missing.indexes.some((index) => {
      const records = statistics.word(index, word, false) ?? 0
      return records === 0 || records === Number.POSITIVE_INFINITY
    })
  estimate.rows += missing.words.filter(isRare).length * nearWordsRows
  return missing
}

/** A JSON array as text. */
export function emitMissingWords(emitter: Emitter, { indexes, words, fields }: MissingWordsPlan): Sql {
  const { dialect } = emitter
  const missing = words.map((word, place) => {
    const text = emitObject(emitter, fields, (output) => {
      if (output.kind === 'word') return dialect.toJson(sql`cast(${word} as text)`)
      const most = mostEdits(word)
      if (most === 0) return raw(`'[]'`)
      const row = emitter.alias()
      const near = emitObject(emitter, output.fields, ({ kind }) =>
        kind === 'word' ? dialect.toJson(sql`${row}.word`) : sql`cast(${row}.n as text)`,
      )
      const all = join(
        indexes.map(({ name }) => dialect.vocabulary.near(name, word, most)),
        ' union all ',
      )
      const rows = sql`select word, sum(n) as n from (${all}) ${emitter.alias()}
        group by word, edits order by edits, n desc, word limit ${raw(String(mostNearWords))}`
      return emitRowsArray(emitter, rows, row, near)
    })
    const isPresent = anyOf(indexes.map(({ name }) => dialect.vocabulary.has(name, word)))
    return sql`select ${raw(String(place))} as place, ${text} as text where not (${isPresent})`
  })
  const row = emitter.alias()
  return emitRowsArray(emitter, sql`${join(missing, ' union all ')} order by place`, row, sql`${row}.text`)
}
