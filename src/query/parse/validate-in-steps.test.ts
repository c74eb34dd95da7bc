import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse, specifiedRules, validate } from 'graphql'
import { badDocuments } from '../../../test/bad-input/documents.ts'
import { newsLexicons } from '../../../test/golden/corpora.ts'
import { understand } from '../../../test/support/records/understand.ts'
import { buildGraphQLSchema } from '../../schema/graphql/graphql.ts'
import { runAllSteps } from './prepare.ts'
import { validateInSteps } from './validate-in-steps.ts'

const schema = buildGraphQLSchema(
  understand(newsLexicons.documents, newsLexicons.references, newsLexicons.stories).model,
)

test('a document has the errors that the library finds, in its order, up to a number', () => {
  for (const { name, query } of badDocuments.filter(({ code }) => code === 'GRAPHQL_VALIDATION_FAILED')) {
    const document = parse(query)
    const found = [...validate(schema, document, specifiedRules)].map(String)
    const all = runAllSteps(validateInSteps(schema, document, specifiedRules, 100))
    assert.deepEqual(all.map(String), found, name)
    const first = runAllSteps(validateInSteps(schema, document, specifiedRules, 1))
    assert.deepEqual(first.map(String), found.slice(0, 2), name)
  }
})

test('a long document is validated in several steps', () => {
  const fields = Array.from({ length: 4_900 }, (_, index) => `unknown${index}`).join(' ')
  const steps = validateInSteps(
    schema,
    parse(`{ techServiceNewsArticle { nodes { ${fields} } } }`),
    specifiedRules,
    1e6,
  )
  assert.equal(steps.next().done, false)
})
