/** What readers take along from a page of the real program: each file, feed, command and program gives its data. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { buildDemoCorpus } from '../../demo/corpus.ts'
import { runProgram, type Service, startService } from '../network/service.ts'

const run = promisify(execFile)
const folder = mkdtempSync(join(tmpdir(), 'lexigraph-take-'))
let service: Service

before(async () => {
  const records = join(folder, 'records.jsonl')
  writeFileSync(records, Array.from(buildDemoCorpus(), (record) => `${JSON.stringify(record)}\n`).join(''))
  const database = join(folder, 'records.db')
  const { status, stderr } = await runProgram(['import', records, '--database', database])
  assert.equal(status, 0, stderr)
  service = await startService(['serve', '--database', database, '--workers', '1'])
})
after(async () => {
  await service.stop()
  rmSync(folder, { recursive: true })
})

const articles = '/c/tech.service.news.article'
/** Values that end texts in shells, Python, R, HTML and URLs. */
const hostile = `a'b"c\\d$(id)\`id\`"""'''\n\u202E</pre><script>&#39;%27`

async function fetchText(path: string): Promise<string> {
  const response = await fetch(service.url + path)
  assert.equal(response.status, 200, path)
  return response.text()
}

/** Links and texts of a menu, the last one if not another is asked for, by their names. */
function menuOf(page: string, at = -1) {
  const menu = page.split('<details class="take">').slice(1).at(at) ?? ''
  const links = new Map(
    Array.from(menu.matchAll(/<li><a href="([^"]*)"[^>]*>([^<]*)</g), ([, href = '', name = '']) => [
      name,
      plain(href),
    ]),
  )
  const texts = new Map(
    Array.from(
      menu.matchAll(/<summary>([^<]*)<\/summary><pre[^>]*>([^<]*)<\/pre>/g),
      ([, name = '', text = '']) => [name, plain(text)],
    ),
  )
  const link = (name: string): string => links.get(name) ?? assert.fail(`There is no ${name}.`)
  const text = (name: string): string => texts.get(name) ?? assert.fail(`There is no ${name}.`)
  return { link, text }
}

function plain(html: string): string {
  return html
    .replaceAll('&lt;', '<')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
}

test('files and feeds have the records of the page', async () => {
  const page = await fetchText(
    `${articles}?language=fr&wordCount.from=500&sort=-wordCount&show=table&columns=title,source_country,wordCount`,
  )
  const menu = menuOf(page)
  const total = Number(/<strong>(\d+) records/.exec(page)?.[1])
  assert.ok(total > 5)
  const csv = (await fetchText(menu.link('CSV'))).trim().split('\r\n')
  assert.equal(csv[0], 'uri,title,source.country,wordCount')
  assert.equal(csv.length - 1, total)
  const lines = (await fetchText(menu.link('NDJSON'))).trim().split('\n')
  assert.equal(lines.length, total)
  assert.equal((await fetch(service.url + menu.link('Parquet'))).status, 200)
  const feed = JSON.parse(await fetchText(menu.link('JSON Feed')))
  assert.equal(feed.items.length, Math.min(30, total))
  assert.equal(feed.items[0].title, JSON.parse(lines[0] ?? '').title)
  assert.match(feed.items[0].url, new RegExp(`^${service.url}/at/did:`))
  const atom = await fetch(service.url + menu.link('Atom'))
  assert.equal(atom.headers.get('content-type'), 'application/atom+xml; charset=utf-8')
  assert.equal((await atom.text()).split('<entry').length - 1, Math.min(30, total))
})

test('charts are taken along as their groups', async () => {
  const query = 'measure=average&of=wordCount&by=language&part=groups'
  const page = await fetchText(`${articles}/charts?${query}`)
  const menu = menuOf(page)
  const [head, first = ''] = (await fetchText(menu.link('CSV'))).trim().split('\r\n')
  assert.equal(head, 'language,count,avg.wordCount')
  const [language = '', count] = first.split(',')
  const { data } = JSON.parse((await run('bash', ['-c', menu.text('curl')])).stdout)
  assert.deepEqual([data.groups.groups[0].language, `${data.groups.groups[0].count}`], [language, count])
  assert.match(await fetchText(menu.link('SVG')), /^<svg /)
  const time = menuOf(await fetchText(`${articles}?language=fr&split=articleType`), 0)
  const days = (await fetchText(time.link('NDJSON'))).trim().split('\n')
  assert.deepEqual(Object.keys(JSON.parse(days[0] ?? '')), ['publishedAt_week', 'articleType', 'count'])
})

test('commands and programs ask what the page asks', async (t) => {
  const menu = menuOf(await fetchText(`${articles}?language=en&title.contains=${encodeURIComponent('a')}`))
  const { stdout } = await run('bash', ['-c', menu.text('curl')])
  const { data } = JSON.parse(stdout)
  assert.equal(data.list.edges.length, 20)
  const shown = new URLSearchParams(menu.link('Open in the GraphQL playground').split('#')[1])
  assert.equal(shown.get('query'), menu.text('GraphQL').split('\n\n#')[0])
  const python = await run('python3', ['-c', menu.text('Python')]).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    t.diagnostic('There is no Python.')
    return null
  })
  if (python !== null) assert.deepEqual(JSON.parse(python.stdout).data, data)
})

test('a value from an address stays a value in commands, programs and files', async () => {
  const page = await fetchText(`${articles}?title.contains=${encodeURIComponent(hostile)}`)
  assert.doesNotMatch(page, /<script>/)
  const menu = menuOf(page)
  const { stdout } = await run('bash', ['-c', menu.text('curl')])
  assert.equal(JSON.parse(stdout).data.list.totalCount, 0)
  const variables = JSON.parse(
    new URLSearchParams(menu.link('Open in the GraphQL playground').split('#')[1]).get('variables') ?? '',
  )
  assert.equal(variables.where.title.contains, hostile)
  const python = menu.text('Python').split('\nrequest = ')[0]
  const read = await run('python3', ['-c', `${python}\nprint(json.dumps(variables))`]).catch(() => null)
  if (read !== null) assert.deepEqual(JSON.parse(read.stdout), variables)
  const csv = new URL(service.url + menu.link('CSV'))
  assert.equal(JSON.parse(csv.searchParams.get('where') ?? '').title.contains, hostile)
  assert.doesNotMatch(menu.text('R').split('"')[1] ?? '', /['\\`$<]/)
})

test('pages of others may include the list, and no other page', async () => {
  const policyOf = async (path: string) =>
    (await fetch(service.url + path)).headers.get('content-security-policy') ?? ''
  assert.match(await policyOf(`/embed${articles}?language=fr`), /frame-ancestors \*$/)
  assert.match(await policyOf(`${articles}?language=fr`), /frame-ancestors 'none'$/)
  assert.match(await policyOf(`${articles}/feed.json`), /frame-ancestors 'none'$/)
  const embedded = await fetchText(`/embed${articles}?language=fr`)
  assert.match(embedded, /<base target="_blank"\/>/)
  assert.doesNotMatch(embedded, /<header/)
})

test('an address that a reader could not have written is not on a page', async () => {
  const wrong = ['a.example/"><script>', 'a.example@b.example', 'a.example b', '']
  for (const host of wrong) {
    const text = await new Promise<string>((resolve, reject) => {
      execFile(
        'curl',
        ['-s', '--http1.1', '-H', `Host: ${host}`, `${service.url}${articles}`],
        { maxBuffer: 10_000_000 },
        (error, stdout) => (error === null ? resolve(stdout) : reject(error)),
      )
    })
    assert.ok(host === '' || !text.includes(host), host)
  }
})
