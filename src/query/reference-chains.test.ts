/** Chains of references in a selection: answered up to the limit, and refused beyond it like everything too large. */
import assert from 'node:assert/strict'
import { recordDoc, ref, strongRef } from '../../test/support/lexicons/documents.ts'
import { onEveryDatabase } from '../../test/support/store/databases.ts'
import { openTestService } from '../../test/support/service/service.ts'
import { limits } from './parse/limits.ts'

const node = recordDoc(
  'a.b.node',
  { to: strongRef, all: { type: 'array', items: strongRef }, box: ref('#box') },
  { box: { type: 'object', properties: { to: strongRef } } },
)
const references = { 'a.b.node#to': ['a.b.node'] }

/** By the field that is followed: how each step opens and closes. */
const steps: Readonly<Record<string, readonly [open: string, close: string]>> = {
  'a reference': ['{ toResolved { ... on ABNode ', '} }'],
  'an array of references': ['{ allResolved { ... on ABNode ', '} }'],
  'a reference in an object': ['{ box { toResolved { ... on ABNode ', '} } }'],
}

/** What the chain is inside of. */
const places: Readonly<Record<string, (chain: string) => string>> = {
  'a list': (chain) => `{ aBNode { nodes ${chain} } }`,
  'an edge': (chain) => `{ aBNode(first: 1) { totalCount edges { cursor node ${chain} } } }`,
  'lists of lists': (chain) =>
    `{ aBNode(first: 1) { nodes { aBNodeViaTo(first: 1) { nodes { aBNodeViaTo(first: 1) { nodes ${chain} } } } } } }`,
}

onEveryDatabase(
  'a chain of references of any length is answered, or refused with its limit',
  async (database) => {
    await using service = await openTestService({ lexicons: [node], references, database })
    for (const [place, around] of Object.entries(places))
      for (const [step, [open, close]] of Object.entries(steps))
        for (const length of [
          1,
          limits.references - 1,
          limits.references,
          limits.references + 1,
          24,
          30,
          60,
        ]) {
          const chain = `${open.repeat(length)}{ uri }${close.repeat(length)}`
          const { data, errors } = await service.query(around(chain))
          const what = `${length} times ${step} in ${place}: ${JSON.stringify(errors)}`
          assert.equal(data === undefined, length > limits.references || errors !== undefined, what)
          if (errors === undefined) continue
          const { code, limit, actual } = errors[0].extensions
          assert.equal(code, 'QUERY_TOO_COMPLEX', what)
          assert.ok(limit < actual, what)
        }
  },
)
