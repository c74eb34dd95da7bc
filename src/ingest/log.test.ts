import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Change } from '../database/changes.ts'
import { createIngestLog } from './log.ts'

const refused = (reason: 'malformed' | 'bad-text', uri: string | null = null): Change => ({
  kind: 'reject',
  source: 's',
  uri,
  reason,
  message: 'Not so.',
  record: '{}',
})

test('refusals are told once for each reason and minute, with how many there were meanwhile', () => {
  let now = 0
  const lines: string[] = []
  const log = createIngestLog(
    (level, text) => lines.push(`${level} ${text}`),
    () => now,
  )
  log.refusals('tap:x', [
    refused('malformed', 'at://did:web:a/b.c.d/e'),
    refused('malformed'),
    refused('bad-text'),
  ])
  now = 59_000
  log.refusals('tap:x', [refused('malformed')])
  now = 60_000
  log.refusals('tap:x', [refused('malformed'), refused('malformed')])
  assert.deepEqual(lines, [
    'warn tap:x: refused at://did:web:a/b.c.d/e: malformed: Not so.',
    'warn tap:x: refused an event: bad-text: Not so.',
    'warn tap:x: refused an event: malformed: Not so. (2 more since the last line)',
  ])
})
