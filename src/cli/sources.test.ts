import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseSources } from './sources.ts'

test('a password is not in the name of a source, however it is written; what has none is named as it is written', async () => {
  const names: Readonly<Record<string, string>> = {
    'tap:http://admin:secret@localhost:2480': 'tap:http://localhost:2480',
    'tap:http://admin:sec@ret@localhost:2480/': 'tap:http://localhost:2480/',
    'tap:https:admin:secret@tap.example': 'tap:https://tap.example',
    'jetstream:wss://secret@example.com/path?a=1': 'jetstream:wss://example.com/path?a=1',
    'repo-export:https://admin:secret@example.com': 'repo-export:https://example.com',
    'jetstream:wss://Example.com': 'jetstream:wss://Example.com',
    'repo-export:./some@where.car': 'repo-export:./some@where.car',
  }
  for (const [text, name] of Object.entries(names)) assert.equal((await parseSources(text))[0]?.name, name)
})

test('what is no address of a server is refused without repeating a password', async () => {
  for (const text of [
    'tap:admin:secret@localhost:2480',
    'tap:http://admin:secret@local host',
    'jetstream:ftp://admin:secret@example.com',
    'repo-export:https://admin:sec@ret@',
  ])
    await assert.rejects(parseSources(text), ({ message }: Error) => {
      assert.doesNotMatch(message, /sec|ret/)
      return true
    })
})
