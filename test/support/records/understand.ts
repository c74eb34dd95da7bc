/** Lexicons that tests write as plain JSON, as the program understands them. */
import { isDeepStrictEqual } from 'node:util'
import { buildTables, type Table } from '../../../src/database/layout/tables.ts'
import type { LexiconSet } from '../../../src/lexicon/lexicons.ts'
import { buildLexicons } from '../../../src/lexicon/lexicons.ts'
import { buildModel } from '../../../src/schema/model/build-model.ts'
import type { Model } from '../../../src/schema/model/model.ts'
import type { Json, References } from '../../reference/shapes.ts'

export interface Understood {
  readonly set: LexiconSet
  readonly model: Model
  readonly tables: readonly Table[]
}

const known = new WeakMap<
  readonly Json[],
  Understood & { readonly references: References; readonly stories: Json }
>()

/** Once for the same documents, because hundreds of databases are opened for some. A problem is an error. */
export function understand(
  documents: readonly Json[],
  references: References,
  stories: Json = undefined,
): Understood {
  const before = known.get(documents)
  if (before !== undefined && isDeepStrictEqual([before.references, before.stories], [references, stories]))
    return before
  const files = documents.map((document) => ({
    file: `${document.id}.json`,
    document: structuredClone(document),
  }))
  const built = buildLexicons(files, references, stories)
  if (!built.ok)
    throw new Error(built.problems.map(({ file, path, problem }) => `${file} ${path}: ${problem}`).join('\n'))
  const model = buildModel(built.lexicons)
  const understood = { set: built.lexicons, model, tables: buildTables(model), references, stories }
  known.set(documents, understood)
  return understood
}
