/** Searches as queries of FTS5. */
import type { WordMatch } from '../../sql/dialect.ts'
import { wordColumn } from './layout/word-ddl.ts'

export function wordQuery(match: WordMatch): string {
  switch (match.kind) {
    case 'term': {
      const { words, prefix, fields } = match
      const phrase = `"${words.join(' ')}"${prefix ? ' *' : ''}`
      return fields === null ? phrase : `{${fields.map(wordColumn).join(' ')}} : ${phrase}`
    }
    case 'any':
      return `(${match.of.map(wordQuery).join(' OR ')})`
    case 'all': {
      const all = match.of.map(wordQuery).join(' AND ')
      return match.except.length === 0
        ? `(${all})`
        : `((${all}) NOT (${match.except.map(wordQuery).join(' OR ')}))`
    }
  }
}
