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
  // A test asks more in a minute than a reader does.
  const tiers = new URL('../support/generous-tiers.json', import.meta.url).pathname
  service = await startService(['serve', '--database', database, '--workers', '1', '--tiers', tiers])
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

test('compared queries are taken along as a row for each query in each period', async () => {
  const query = 'part=compare&query=climate&query=language%3Dfr&per=month&as='
  const menu = menuOf(await fetchText(`${articles}/charts?${query}share`))
  const response = await fetch(service.url + menu.link('CSV'))
  assert.equal(response.headers.get('content-type'), 'text/csv; charset=utf-8; header=present')
  const disposition = 'attachment; filename="tech.service.news.article.chart.csv"'
  assert.equal(response.headers.get('content-disposition'), disposition)
  const [head, ...rows] = (await response.text()).trim().split('\r\n')
  assert.equal(head, 'publishedAt_month,query,count,total,share')
  const { data } = JSON.parse((await run('bash', ['-c', menu.text('curl')])).stdout)
  for (const [at, name] of ['climate', 'language=fr'].entries()) {
    const own = rows.map((row) => row.split(',')).filter(([, each]) => each === name)
    const counted = own
      .filter(([, , count]) => count !== '0')
      .map(([month, , count]) => [month || null, count])
    const groups = data[`query${at + 1}`].groups.toReversed()
    assert.deepEqual(
      counted,
      groups.map((group: Record<string, unknown>) => [group['publishedAt_month'], `${group['count']}`]),
    )
    for (const [, , count, total, share] of own) assert.equal(Number(share), Number(count) / Number(total))
  }
  const counts = menuOf(await fetchText(`${articles}/charts?${query}count`))
  const lines = (await fetchText(counts.link('NDJSON'))).trim().split('\n')
  assert.equal(lines.length, rows.length)
  assert.deepEqual(Object.keys(JSON.parse(lines[0] ?? '')), ['publishedAt_month', 'query', 'count'])
})

test('what is unusual is taken along with its counts, shares and scores', async () => {
  for (const [on, key] of [
    ['words-title', 'word'],
    ['language', 'language'],
  ]) {
    const menu = menuOf(await fetchText(`${articles}/charts?part=unusual&source_country=GB&on=${on}`))
    const [head, ...rows] = (await fetchText(menu.link('CSV'))).trim().split('\r\n')
    assert.equal(head, `${key},count,share,againstShare,score`)
    const { data } = JSON.parse((await run('bash', ['-c', menu.text('curl')])).stdout)
    const found = data.unusual.unusualWords?.words ?? data.unusual.groups
    assert.equal(rows.length, found.length)
    const [first] = found
    assert.equal(
      rows[0],
      [
        first[key ?? ''],
        first.count,
        ...['share', 'againstShare', 'score'].map((name) => first.significance[name]),
      ].join(),
    )
    const parquet = await fetch(service.url + menu.link('Parquet'))
    assert.equal(parquet.headers.get('content-type'), 'application/vnd.apache.parquet')
    assert.equal(Buffer.from(await parquet.arrayBuffer()).toString('latin1', 0, 4), 'PAR1')
  }
})

test('words of a query do not become a formula of a spreadsheet', async () => {
  const formula = encodeURIComponent('=HYPERLINK("https://evil.example")')
  const csv = await fetchText(`${articles}/chart.csv?part=compare&query=${formula}&query=climate`)
  assert.match(csv, /,"'=HYPERLINK\(""https:/)
})

test('the values of every chart are at the address of its drawing, with another ending', async () => {
  const groups = await fetch(`${service.url}${articles}/chart.csv?part=groups&by=language`, {
    redirect: 'manual',
  })
  assert.equal(groups.status, 303)
  assert.match(groups.headers.get('location') ?? '', /^\/export\/.*aggregate\.csv\?.*groupBy=language/)
  assert.match(
    await fetchText(`${articles}/chart.csv?split=language`),
    /^publishedAt_week,language,count\r\n/,
  )
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
