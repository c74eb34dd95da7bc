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

test('callers are told no file and no address within a network, or what the operator wants them to be told', async () => {
  const names: Readonly<Record<string, string>> = {
    'firehose:wss://bsky.network': 'firehose:wss://bsky.network',
    'firehose:wss://Relay.local:8080/x': 'firehose',
    'firehose:wss://1st.example.com': 'firehose:wss://1st.example.com',
    'import:README.md': 'import',
    'jetstream:wss://jetstream2.us-east.bsky.network': 'jetstream:wss://jetstream2.us-east.bsky.network',
    'jetstream:wss://secret@example.com': 'jetstream:wss://example.com',
    'jetstream:wss://10.1.2.3:6008': 'jetstream',
    'jetstream:wss://0x7f.1:6008': 'jetstream',
    'jetstream:ws://[fd00::1]:6008': 'jetstream',
    'repo-export:did:plc:aaaaaaaaaaaaaaaaaaaaaaaa': 'repo-export:did:plc:aaaaaaaaaaaaaaaaaaaaaaaa',
    'repo-export:alice.example.com': 'repo-export:alice.example.com',
    'repo-export:https://pds.internal': 'repo-export',
    'repo-export:./some.car': 'repo-export',
    'tap:http://LOCALHOST:2480': 'tap',
    'tap:http://tap:2480': 'tap',
    'tap:https://tap.svc.internal./': 'tap',
    'main relay=tap:http://tap:2480?a=b': 'main relay',
    'Größe_1.2-3=import:README.md': 'Größe_1.2-3',
  }
  for (const [text, told] of Object.entries(names))
    assert.equal((await parseSources(text))[0]?.publicName, told, text)
  for (const text of ['', 'a/b', '<b>', 'x'.repeat(65)])
    await assert.rejects(parseSources(`${text}=tap:http://tap:2480`), {
      message: `Callers cannot be told ${JSON.stringify(text)} of a source. Write up to 64 letters, digits, spaces, ".", "-" and "_" before the "=".`,
    })
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
