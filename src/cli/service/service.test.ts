import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseConfig } from '../settings/config.ts'
import { openService } from './service.ts'

test('the schema of a service is right by its construction, and is not checked again', async () => {
  const { config } = parseConfig('query', ['--database', 'sqlite::memory:', '{ __typename }'], {})
  await using service = await openService(config, new URL('../../../', import.meta.url))
  assert.equal(service.schema.toConfig().assumeValid, true)
})
