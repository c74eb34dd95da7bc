/** `didYouMean` as SQL: the words of a search that no record has, each with the nearest words that records have. */
import { anyOf, join, raw, type Sql, sql } from '../../../sql/sql.ts'
import { mostEdits, mostNearWords } from '../../../search/nearest-words.ts'
import { emitObject, emitRowsArray } from '../emit-output.ts'
import type { Emitter } from '../emitter.ts'
import type { MissingWordsPlan } from '../../plan/plan.ts'

/** A JSON array as text. */
export function emitMissingWords(emitter: Emitter, { indexes, words, fields }: MissingWordsPlan): Sql {
  const { dialect } = emitter
  const missing = words.map((word, place) => {
    const text = emitObject(emitter, fields, (output) => {
      if (output.kind === 'word') return dialect.toJson(dialect.asText(sql`${word}`))
      const most = mostEdits(word)
      if (most === 0) return raw(`'[]'`)
      const row = emitter.alias()
      const near = emitObject(emitter, output.fields, ({ kind }) =>
        kind === 'word' ? dialect.toJson(sql`${row}.word`) : dialect.asText(sql`${row}.n`),
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
