/** `serve` whose lexicons have changed, or whose index another process rebuilds. */
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { startFakeJetstream } from './network/fake-jetstream.ts'
import { answering, type Program, type Service, startProgram, startService } from './network/service.ts'
import type { Json } from './reference/shapes.ts'
import { childrenOf, hasEnded, isStopped } from './support/processes.ts'
import { someForms } from './support/rounds.ts'
import { commandsInTurn } from './support/server/commands.ts'
import { onEveryDatabase, onOneDatabase } from './support/store/databases.ts'
import { databases, type Engine } from './support/store/postgres.ts'
import { databaseCopies, emptyDatabases, temporaryFolder } from './support/store/store.ts'
import { size, thing, thingUri } from './support/records/things.ts'
import { freePort } from './support/free-port.ts'
import { until } from './support/until.ts'
import { generousTiers } from './support/server/tiers.ts'

const stopPreparing = fileURLToPath(new URL('support/preloaded/stop-preparing.ts', import.meta.url))
const inFolder = temporaryFolder()
const runCommand = commandsInTurn()
const emptyUrl = emptyDatabases()
const copied = databaseCopies()

/** More than PostgreSQL has copied when it tells its progress for the second time. */
const count = 2_200
const text = { text: { type: 'string', maxGraphemes: 100 } }
const narrow = lexicons('narrow', [thing(size)])
const foreign = lexicons('foreign', [thing(size, 'org.example.foreign')])
const wide = lexicons('wide', [thing({ ...size, ...text })])
const wider = lexicons('wider', [thing({ ...size, ...text, more: { type: 'boolean' } })])
const records = inFolder('records.jsonl')
const lines = Array.from({ length: count }, (_, n) => line(n))
writeFileSync(records, lines.join('\n'))
const few = inFolder('few.jsonl')
writeFileSync(few, lines.slice(-20).join('\n'))
const nothing = inFolder('nothing.jsonl')
writeFileSync(nothing, '')
const question =
  '{ orgExampleThing(first: 1, where: { text: { contains: "thing 2199" } }) { nodes { text } } }'

/** One process that does everything, and two workers; each engine as it is mostly run. */
const forms = [
  { workers: '1', engine: 'sqlite' },
  { workers: '2', engine: 'postgres' },
] as const

const possible = forms.filter(({ engine }) => databases.includes(engine))
/** Each claim in the form that has more code of its own for it, and by the long command in both. */
const first = someForms(possible)
const last = someForms(possible.toReversed())

function onForms(
  those: readonly (typeof forms)[number][],
  sentence: string,
  holds: (engine: Engine, workers: string) => Promise<void>,
): void {
  for (const { workers, engine } of those)
    onEveryDatabase(`${sentence}, ${workers} workers`, () => holds(engine, workers), [engine])
}

onForms(last, 'a service that must rebuild its index first says so at its port', async (engine, workers) => {
  const env = await filled(engine)
  await using program = startProgram(['serve', '--port', '0', '--workers', workers, '--lexicons', wide], {
    env: { ...env, ...stopsAt('middle') },
  })
  const preparing = await stoppedPreparation(program)
  const service = await answering(program)
  assert.equal((await fetch(`${service.url}/healthz`)).status, 200)
  const ready = await until(async () => {
    const response = await fetch(`${service.url}/readyz`)
    const told = JSON.stringify(await response.json())
    return / of 2,200 records/.test(told) && { status: response.status, told }
  })
  assert.equal(ready.status, 503)
  assert.match(ready.told, /"collection":"org\.example\.thing","done":\d+,"total":2200/)
  // A busy machine may take longer than an operation may.
  const refused = await until(async () => {
    const answer = await ask(service)
    return answer.status !== 504 && answer
  })
  assert.equal(refused.status, 503)
  assert.ok(Number(refused.headers.get('retry-after')) > 0)
  const [error] = ((await refused.json()) as Json).errors
  assert.equal(error.extensions.code, 'UNAVAILABLE')
  assert.match(error.message, /^The index is being rebuilt for these lexicons\. [\d,]+ of 2,200 records/)
  process.kill(preparing, 'SIGCONT')
  await until(async () => (await fetch(`${service.url}/readyz`)).status === 200)
  // Each worker notices for itself.
  const answer = await until(() => service.query(question).catch(() => null))
  assert.deepEqual(answer, { orgExampleThing: { nodes: [{ text: 'thing 2199' }] } })
  assert.match(service.stderr(), /^Rebuilding the index: [\d,]+ of 2,200 records/m)
  await service.said(/^The index was rebuilt for the lexicons in /m)
  await service.said(
    new RegExp(
      `^Database: .+\nLexicons: ${wide}\nCollections and their records: org\\.example\\.thing \\(2,200\\)\n` +
        `Workers: ${workers}\nLexigraph answers at ${service.url}/api/graphql`,
      'm',
    ),
  )
  await service.stop()
})

onForms(
  first,
  'a service that refuses its lexicons has not announced its address',
  async (engine, workers) => {
    const env = await filled(engine, few)
    const port = await freePort()
    const given = ['--port', String(port), '--workers', workers, '--lexicons', foreign]
    await using program = startProgram(['serve', ...given], { env: { ...env, ...stopsAt('start') } })
    const preparing = await until(() => preparationOf(program.pid))
    await until(() => isStopped(preparing))
    // The port is open while it is not known yet whether the rebuild is permitted.
    await until(() =>
      fetch(`http://127.0.0.1:${port}/healthz`).then(
        ({ status }) => status === 200,
        () => false,
      ),
    )
    process.kill(preparing, 'SIGCONT')
    assert.equal(await program.ended, 1)
    assert.match(program.stderr(), /org\.example\.thing \(20 records\) is not in them/)
    assert.doesNotMatch(program.stderr(), /http:/)
  },
)

onForms(first, 'a service stops in the middle of a rebuild, and goes on there', async (engine, workers) => {
  const env = await filled(engine)
  {
    await using program = startProgram(['serve', '--port', '0', '--workers', workers, '--lexicons', wide], {
      env: { ...env, ...stopsAt('middle') },
    })
    const preparing = await stoppedPreparation(program)
    const service = await answering(program)
    await service.stop()
    await until(() => hasEnded(preparing))
  }
  await using service = await startService(['serve', '--workers', workers, '--lexicons', wide], { env })
  await until(async () => (await fetch(`${service.url}/readyz`)).status === 200)
  const answer = await until(() => service.query(question).catch(() => null))
  assert.deepEqual(answer, { orgExampleThing: { nodes: [{ text: 'thing 2199' }] } })
  const [, first = ''] = /^Rebuilding the index: ([\d,]+) of/m.exec(service.stderr()) ?? []
  assert.notEqual(first, '')
  await service.stop()
})

onForms(
  first,
  'a service whose index is rebuilt for its new lexicons loads them',
  async (engine, workers) => {
    const env = await filled(engine, few)
    const own = copyOf(narrow, `own-${engine}-${workers}`)
    await using server = await startFakeJetstream()
    const ingest = ['--ingest', `jetstream:${server.url}`, '--tiers', generousTiers]
    await using service = await startService(['serve', '--workers', workers, '--lexicons', own, ...ingest], {
      env,
    })
    const publish = (rkey: string): void =>
      server.publishRecord({
        did: 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa',
        collection: 'org.example.thing',
        rkey,
        rev: '3kaaaaaaaaa22',
        record: { $type: 'org.example.thing' },
      })
    const followed = (rkey: string) =>
      `{ orgExampleThing(first: 1, where: { uri: { eq: "${thingUri(rkey)}" } }) { nodes { uri } } }`
    await until(() => server.connections.length > 0)
    publish('first')
    await until(async () => (await service.query(followed('first'))).orgExampleThing.nodes.length === 1)
    writeFileSync(join(own, 'thing.json'), readFileSync(join(wide, 'thing.json')))
    await succeed(['import', nothing, '--lexicons', wide], env)
    const answer = await until(() => service.query(question).catch(() => null))
    assert.deepEqual(answer, { orgExampleThing: { nodes: [{ text: 'thing 2199' }] } })
    assert.match(service.stderr(), /the service loads them again\.$/m)
    publish('second')
    await until(async () => (await service.query(followed('second'))).orgExampleThing.nodes.length === 1)
    await service.stop()
  },
)

onForms(
  first,
  'a service whose index is rebuilt for other lexicons ends and says why',
  async (engine, workers) => {
    const env = await filled(engine, few)
    await using server = await startFakeJetstream()
    const ingest = ['--ingest', `jetstream:${server.url}`, '--tiers', generousTiers]
    await using service = await startService(
      ['serve', '--workers', workers, '--lexicons', narrow, ...ingest],
      { env },
    )
    await succeed(['import', nothing, '--lexicons', wide], env)
    assert.equal(await service.ended, 1)
    assert.match(
      service.stderr(),
      /^Another process has rebuilt the index, and not for the lexicons that are in \S+narrow now\. Start this service again with the lexicons of the index/m,
    )
    // Nor has it rebuilt the index back.
    await succeed(['query', question, '--lexicons', wide], env)
  },
)

onForms(
  first,
  'a service whose folder is edited while it rebuilds loads it when another process rebuilds for it',
  async (engine, workers) => {
    const env = await filled(engine)
    const own = copyOf(wide, `edited-early-${engine}-${workers}`)
    await using program = startProgram(
      ['serve', '--port', '0', '--workers', workers, '--lexicons', own, '--tiers', generousTiers],
      { env: { ...env, ...stopsAt('middle') } },
    )
    const preparing = await stoppedPreparation(program)
    const service = await answering(program)
    writeFileSync(join(own, 'thing.json'), readFileSync(join(wider, 'thing.json')))
    // The service does not notice the end of its own rebuild before the index is rebuilt once more.
    const others = [program.pid, ...childrenOf(program.pid).filter((pid) => pid !== preparing)]
    for (const pid of others) process.kill(pid, 'SIGSTOP')
    process.kill(preparing, 'SIGCONT')
    await until(() => hasEnded(preparing))
    await succeed(['import', nothing, '--lexicons', wider], env)
    for (const pid of others.toReversed()) process.kill(pid, 'SIGCONT')
    const answer = await until(() =>
      service.query('{ orgExampleThing(first: 1) { nodes { more } } }').catch(() => null),
    )
    assert.deepEqual(answer, { orgExampleThing: { nodes: [{ more: null }] } })
    await service.stop()
  },
)

for (const workers of someForms(['2', '1']))
  test(`editing the folder of its lexicons does not end a service, ${workers} workers`, async () => {
    const env = await filled('sqlite', few)
    const own = copyOf(narrow, `edited-later-${workers}`)
    await using service = await startService(
      ['serve', '--workers', workers, '--lexicons', own, '--tiers', generousTiers],
      { env },
    )
    writeFileSync(join(own, 'thing.json'), readFileSync(join(wide, 'thing.json')))
    const uris = '{ orgExampleThing(first: 1) { nodes { uri } } }'
    if (workers === '2') {
      const [victim] = childrenOf(service.pid)
      process.kill(victim as number, 'SIGKILL')
      await service.said(/A worker cannot start and tries again: The lexicons in \S+ are not those that this/)
      // The other one answers, and once they are as they were, both do.
      await service.query(uris)
      writeFileSync(join(own, 'thing.json'), readFileSync(join(narrow, 'thing.json')))
      await until(() => childrenOf(service.pid).length === 2)
      await service.query(uris)
      writeFileSync(join(own, 'thing.json'), readFileSync(join(wide, 'thing.json')))
    }
    await service.query(uris)
    await succeed(['import', nothing, '--lexicons', wide], env)
    const answer = await until(() => service.query(question).catch(() => null))
    assert.deepEqual(answer, { orgExampleThing: { nodes: [{ text: 'thing 2199' }] } })
    await service.stop()
  })

onOneDatabase('a service that is killed during a rebuild leaves no process at work', async (engine) => {
  const env = await filled(engine)
  await using service = startProgram(['serve', '--port', '0', '--lexicons', wide], {
    env: { ...env, ...stopsAt('middle') },
  })
  const preparing = await stoppedPreparation(service)
  await service.kill('SIGKILL')
  process.kill(preparing, 'SIGCONT')
  await until(() => hasEnded(preparing))
  await succeed(['import', nothing, '--lexicons', wide], env)
  const { stdout } = await succeed(['query', question, '--lexicons', wide], env)
  assert.match(stdout, /thing 2199/)
})

function line(n: number): string {
  const value = { $type: 'org.example.thing', size: n, text: `thing ${n}` }
  return JSON.stringify({ uri: thingUri(`${n}`), value })
}

function lexicons(name: string, documents: readonly Json[]): string {
  const folder = inFolder(name)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  for (const document of documents) writeFileSync(join(folder, 'thing.json'), JSON.stringify(document))
  return folder
}

function copyOf(folder: string, name: string): string {
  const copy = inFolder(name)
  mkdirSync(copy)
  writeFileSync(join(copy, 'thing.json'), readFileSync(join(folder, 'thing.json')))
  return copy
}

/** Enough records for a rebuild that can be stopped in its middle, unless others are given. */
async function filled(engine: Engine, file = records): Promise<Record<string, string>> {
  const url = await copied(`${engine} ${file}`, async () => {
    const original = await emptyUrl(engine)
    await succeed(['import', file, '--lexicons', narrow], { LEXIGRAPH_DATABASE: original })
    return original
  })
  return { LEXIGRAPH_DATABASE: url }
}

async function succeed(args: readonly string[], env: Record<string, string>) {
  const outcome = await runCommand(args, { env })
  assert.equal(outcome.status, 0, outcome.stderr)
  return outcome
}

/** Settings of a program whose process that rebuilds stops itself there. */
function stopsAt(moment: 'start' | 'middle'): Record<string, string> {
  return { TEST_STOPS: moment, NODE_OPTIONS: `--import ${stopPreparing}` }
}

/** The process that rebuilds, stopped in the middle of it; the program was started so that it stops there. */
async function stoppedPreparation({ said, pid }: Program): Promise<number> {
  await said(/Rebuilding the index/)
  const preparing = await until(() => preparationOf(pid))
  await until(() => isStopped(preparing))
  return preparing
}

function preparationOf(pid: number): number | undefined {
  return childrenOf(pid).find((child) =>
    readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('prepare-child'),
  )
}

function ask({ url }: Service): Promise<Response & { json: () => Promise<Json> }> {
  return fetch(`${url}/api/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/graphql-response+json' },
    body: JSON.stringify({ query: question }),
  }) as never
}
