/** The roles of docs/deploying.md: one owns the database and writes, another may only read. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { after, before } from 'node:test'
import { runIngest } from '../../src/cli/background/ingest.ts'
import { parseConfig } from '../../src/cli/settings/config.ts'
import { openStore } from '../../src/cli/store/project.ts'
import { UsageError } from '../../src/errors.ts'
import { didOf } from '../network/follow.ts'
import { demo, writeLines } from '../support/demo-databases.ts'
import { collection, properties, roundOf, whileWriting } from '../support/records/rounds.ts'
import { commandsInTurn } from '../support/server/commands.ts'
import { onPostgres } from '../support/store/databases.ts'
import { type Cluster, databases, startCluster } from '../support/store/postgres.ts'
import { run } from '../support/store/postgres-layout.ts'
import { openTestStore, recordLexicon, temporaryFolder } from '../support/store/store.ts'

const page = readFileSync(new URL('../../docs/deploying.md', import.meta.url), 'utf8')
const [, roles = ''] = /^```sql\n([^]*?)^```$/m.exec(page) ?? []
const [administrators = '', owners = ''] = roles.split(/^\\connect .*$/m)
const root = new URL('../../', import.meta.url)
const otherLexicons = fileURLToPath(new URL('test/schemas/site-standard/lexicons', root))
const inFolder = temporaryFolder()
const runInTurn = commandsInTurn()
const refused = { uri: `at://${didOf(1)}/tech.service.news.article/3aaaaaaaaaa2a`, value: {} }
const because = ['--reason', 'A test.', '--by', 'ann']

let cluster: Cluster
before(async () => {
  if (!databases.includes('postgres')) return
  cluster = await startCluster()
  for (const statement of administrators.split(';'))
    if (statement.trim() !== '') await cluster.query(statement)
})
after(async () => {
  await cluster?.[Symbol.asyncDispose]()
})

onPostgres('a role that may only read serves, also after a rebuild', async () => {
  const { owner, reader } = await databaseOfRoles('served')
  await whileWriting(owner, async () => undefined)
  await roundOf(reader)
  const wider = [recordLexicon(collection, { ...properties, stars: { type: 'integer' } })]
  await (await openTestStore({ path: owner, lexicons: wider }))[Symbol.asyncDispose]()
  await roundOf(reader, wider)
  await assert.rejects(run(reader, 'delete from lexigraph.base'), /permission denied/)
})

onPostgres('a role that may only read is told so by all that writes', async () => {
  const { owner, reader } = await databaseOfRoles('commands')
  const file = writeLines(inFolder('some.jsonl'), [...demo.slice(0, 20), refused])
  const as = (url: string, ...args: readonly string[]) => runInTurn([...args, '--database', url])
  assert.equal((await as(owner, 'import', file)).status, 0)
  for (const args of [
    ['import', file],
    ['hide', didOf(1), ...because],
    ['purge', didOf(1), ...because],
    ['rejections', 'retry'],
    ['keys', 'create', '--name', 'ann', '--tier', 'public'],
  ]) {
    const { stderr, status } = await as(reader, ...args)
    assert.match(
      stderr,
      /The user "lexigraph_read" lacks a right in the database "commands" \(permission denied for .*\): connect as the role that owns it, or have an administrator grant the right\.\n$/,
      args.join(' '),
    )
    assert.equal(status, 1)
  }
  for (const args of [
    ['import', file],
    ['serve', '--port', '0'],
  ]) {
    const { stderr, status } = await as(reader, ...args, '--lexicons', otherLexicons)
    assert.match(
      stderr,
      /^The database .* cannot be opened: it was built with other lexicons or by another version, and the user "lexigraph_read" may not rebuild it\. Name its own with --lexicons, or have .* as the role that owns it\.\n$/m,
    )
    assert.equal(status, 1)
  }
})

onPostgres('a server whose role may only read leaves stories to those that write', async () => {
  const { owner, reader } = await databaseOfRoles('background')
  const work = (url: string, more: readonly string[] = [], from: string | null = null) => {
    const { config } = parseConfig('serve', ['--database', url, ...more], {})
    // One that ends by itself.
    return runIngest({ config, root }, from, { open: openStore, signal: () => new AbortController().signal })
  }
  const source = `import:${writeLines(inFolder('all.jsonl'), demo.slice(0, 20))}`
  await work(owner, [], source)
  await work(reader)
  const denied = (error: unknown) =>
    error instanceof UsageError && error.message.endsWith('Connect as the role that owns the database.')
  await assert.rejects(work(reader, ['--retain', 'tech.service.news.article=9d']), denied)
  await assert.rejects(work(reader, [], source), denied)
})

async function databaseOfRoles(name: string) {
  await cluster.query(`create database ${name} owner lexigraph encoding 'UTF8' template template0`)
  const as = (role: string): string =>
    Object.assign(new URL(cluster.url), { username: role, password: 'secret', pathname: name }).href
  await run(as('lexigraph'), owners)
  return { owner: as('lexigraph'), reader: as('lexigraph_read') }
}
