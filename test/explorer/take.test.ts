/** What readers take along from a page of the real program: each file, feed, command and program gives its data. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { before, test } from 'node:test'
import { promisify } from 'node:util'
import { parseHTML } from 'linkedom'
import type { Json } from '../reference/shapes.ts'
import { type Service, startService } from '../network/service.ts'
import { missing } from '../support/server/proxies.ts'
import { temporaryFolder } from '../support/store/store.ts'
import { until } from '../support/until.ts'
import { entriesOf } from './feed-entries.ts'
import { demoDatabase, demoService } from './reader.ts'

const run = promisify(execFile)
const inFolder = temporaryFolder()
let service: Service

before(async () => {
  service = await demoService()
})

const articles = '/c/tech.service.news.article'
/** Values that end texts in shells, Python, R, HTML and URLs. */
const hostile = `a'b"c\\d$(id)\`id\`"""'''\n\u202E</pre><script>&#39;%27`

async function fetchText(path: string): Promise<string> {
  const response = await fetch(service.url + path)
  assert.equal(response.status, 200, path)
  return response.text()
}

/** A chart that was not drawn in time is not found. */
function drawingAt(path: string): Promise<string> {
  return until(async () => {
    const response = await fetch(service.url + path)
    return response.status === 404 ? '' : response.text()
  })
}

/** The rows of a CSV file without line ends in its cells, the head first. */
async function csvOf(path: string): Promise<readonly string[]> {
  return (await fetchText(path))
    .replace(/^\uFEFF/, '')
    .trimEnd()
    .split('\r\n')
}

async function linesOf(path: string): Promise<readonly Json[]> {
  const lines = (await fetchText(path)).trim().split('\n')
  return lines.map((line) => JSON.parse(line))
}

/** What the command of curl answers. */
async function curlData(menu: { readonly text: (name: string) => string }): Promise<Json> {
  return JSON.parse((await run('bash', ['-c', menu.text('curl')])).stdout).data
}

/** Links and texts of a menu, the last one if not another is asked for, by their names. */
function menuOf(page: string, at = -1) {
  const menus = page.split('<details class="take" name="menu">').slice(1)
  // The programs of all panels are in one menu.
  const programs = menus.find((each) => each.includes('<summary>curl</summary>')) ?? ''
  const menu = (menus.filter((each) => each !== programs).at(at) ?? '') + programs
  const found = (pattern: RegExp, wanted: string): string => {
    const all = Array.from(menu.matchAll(pattern), ({ groups }) => groups)
    const { text } = all.find((groups) => groups?.['name'] === wanted) ?? {}
    return plain(text ?? assert.fail(`There is no ${wanted}.`))
  }
  return {
    link: (name: string) => found(/<li><a href="(?<text>[^"]*)"[^>]*>(?<name>[^<]*)</g, name),
    text: (name: string) => found(/<summary>(?<name>[^<]*)<\/summary><pre[^>]*>(?<text>[^<]*)<\/pre>/g, name),
  }
}

function plain(html: string): string {
  const signs: Record<string, string> = { '&lt;': '<', '&quot;': '"', '&#39;': "'", '&amp;': '&' }
  return html.replaceAll(/&(?:lt|quot|#39|amp);/g, (name) => signs[name] ?? name)
}

test('files have the records of the page, and a feed is named by its type', async () => {
  const page = await fetchText(
    `${articles}?language=fr&wordCount.from=500&sort=-wordCount&show=table&columns=title,source_country,wordCount`,
  )
  const menu = menuOf(page)
  const total = Number(/<strong>(\d+) articles/.exec(page)?.[1])
  assert.ok(total > 5)
  const [head, ...rows] = await csvOf(menu.link('CSV'))
  assert.equal(head, 'title,sourceResolved.country,wordCount,uri')
  assert.equal(rows.length, total)
  const lines = await linesOf(menu.link('NDJSON'))
  assert.equal(lines.length, total)
  assert.equal((await fetch(service.url + menu.link('Parquet'))).status, 200)
  const atom = await fetch(
    service.url + plain(/type="application\/atom\+xml" href="([^"]*)"/.exec(page)?.[1] ?? ''),
  )
  assert.equal(atom.headers.get('content-type'), 'application/atom+xml; charset=utf-8')
  const titles = Array.from((await atom.text()).matchAll(/<entry.*?<title>(.*?)<\/title>/gs), ([, title]) =>
    plain(title ?? ''),
  )
  // The order of a list does not apply to its feed.
  const newest = await fetchText(`${articles}?language=fr&wordCount.from=500`)
  const sorted = await linesOf(menuOf(newest).link('NDJSON'))
  assert.deepEqual(
    titles,
    sorted.slice(0, 30).map(({ title }) => title),
  )
})

test('the file of a search is in the order of its page', async () => {
  const page = await fetchText(`${articles}?q=climate`)
  const shown = Array.from(page.matchAll(/<h3><a href="\/at\/([^"]*)"/g), ([, path]) => `at://${path}`)
  const lines = await linesOf(menuOf(page).link('NDJSON'))
  assert.deepEqual(
    lines.slice(0, shown.length).map(({ uri }) => uri),
    shown,
  )
})

test('files that a tier cuts say so by their names, and on the page', async () => {
  const tiers = inFolder('tiers.json')
  writeFileSync(tiers, '{"public": {"fileRows": 7, "seconds": 120}}')
  const env = { LEXIGRAPH_DATABASE: `sqlite:${await demoDatabase()}` }
  await using few = await startService(['serve', '--workers', '1', '--tiers', tiers], { env })
  const textOf = async (path: string) => (await fetch(few.url + path)).text()
  for (const query of ['language=fr', 'language=fr&wordCount.from=900']) {
    const page = await textOf(`${articles}?${query}`)
    const total = Number(/<strong>(\d+) articles/.exec(page)?.[1])
    const isCut = query === 'language=fr'
    assert.deepEqual(
      [isCut, page.includes(`The files have the first 7 of ${total} articles.`)],
      [total > 7, isCut],
    )
    const { headers } = await fetch(few.url + menuOf(page).link('Parquet'))
    const name = `articles-fr${isCut ? '-first-7' : '-wordcount-from-900'}.parquet`
    assert.equal(headers.get('content-disposition'), `attachment; filename="${name}"`)
  }
})

test('files name what references lead to, as their pages do', async () => {
  const rowsOf = async (path: string) => linesOf(menuOf(await fetchText(path)).link('NDJSON'))
  const [row] = await rowsOf(`${articles}?language=fr&show=table&columns=title,source`)
  assert.deepEqual(Object.keys(row), ['title', 'source.uri', 'sourceResolved.displayName', 'uri'])
  const outlet = plain(await fetchText(row['source.uri'].replace('at://', '/at/')))
  assert.ok(outlet.includes(`${row['sourceResolved.displayName']}</h1>`), row['sourceResolved.displayName'])
  const list = await rowsOf(`${articles}?language=fr`)
  const record = await rowsOf(row.uri.replace('at://', '/at/'))
  for (const [each] of [list, record]) {
    assert.equal(typeof each['sourceResolved.displayName'], 'string')
    assert.ok('wordCount' in each && 'cid' in each)
  }
  const groups = await rowsOf(`${articles}/charts?by=source&measure=average&of=wordCount`)
  assert.ok(groups.length > 0)
  for (const each of groups) {
    const named = plain(await fetchText(each.source.replace('at://', '/at/')))
    assert.ok(named.includes(`${each['sourceResolved.displayName']}</h1>`), JSON.stringify(each))
  }
})

test('charts are taken along as their groups', async () => {
  const query = 'measure=average&of=wordCount&by=language&part=groups'
  const page = await fetchText(`${articles}/charts?${query}`)
  const menu = menuOf(page)
  const [head, first = ''] = await csvOf(menu.link('CSV'))
  assert.equal(head, 'language,count,avg.wordCount')
  const [language = '', count] = first.split(',')
  const data = await curlData(menu)
  assert.deepEqual([data.groups.groups[0].language, `${data.groups.groups[0].count}`], [language, count])
  assert.match(await drawingAt(menu.link('SVG')), /^<svg /)
  const time = menuOf(await fetchText(`${articles}?language=fr&split=articleType`), 0)
  const days = await linesOf(time.link('NDJSON'))
  assert.deepEqual(Object.keys(days[0]), ['publishedAt_day', 'articleType', 'others', 'count'])
})

test('the file of a chart by two fields is the table that the page shows', async () => {
  const query = 'by=publishedAt_month&by=language&top=10'
  for (const measure of ['', '&measure=average&of=wordCount']) {
    const [head, ...rows] = await csvOf(`${articles}/chart.csv?part=groups&${query}${measure}`)
    assert.equal(head, `publishedAt_month,language,count${measure === '' ? '' : ',avg.wordCount'}`)
    const { document } = parseHTML(await fetchText(`${articles}/charts?${query}${measure}`))
    const number = new Intl.NumberFormat('en', { maximumFractionDigits: 2 })
    const cells = Array.from(document.querySelectorAll('figure tbody tr'), (row) =>
      Array.from(row.querySelectorAll('td'), ({ textContent }) => textContent),
    )
    const written = rows.map((row) => row.split(',').at(-1) ?? '')
    const shown = written.map((value) => (value === '' ? 'no value' : number.format(Number(value))))
    const columns = cells[0]?.map((_, at) => cells.map((row) => row[at])) ?? []
    assert.deepEqual(shown, columns.flat())
  }
})

test('the columns of the files are chosen in the menu, and all are a click away', async () => {
  const page = await fetchText(`${articles}?language=fr`)
  const { document } = parseHTML(page)
  const form = document.querySelector('.take form.choices')
  const boxes = Array.from(form?.querySelectorAll('input[type=checkbox]') ?? [])
  const short = boxes.filter((box) => box.hasAttribute('checked')).map((box) => box.getAttribute('value'))
  const [head = ''] = await csvOf(menuOf(page).link('CSV'))
  assert.equal(head.split(',').length, new Set(['uri', ...short, 'sourceResolved.displayName']).size)
  const [all = ''] = await csvOf(menuOf(page).link('CSV, all columns'))
  assert.ok(short.length > 3 && all.split(',').length > 2 * short.length, all)
  assert.ok(boxes.length > short.length)
  const chosen = await fetchText(`${articles}?language=fr&columns=title&columns=wordCount`)
  const links = menuOf(chosen)
  assert.equal((await csvOf(links.link('CSV')))[0], 'title,wordCount,uri')
  assert.equal((await csvOf(links.link('CSV, all columns')))[0], all)
})

const topics = 'q=climate&q=flood&per=month'

test('topics are taken along as a row for each topic in each period', async () => {
  const page = await fetchText(`${articles}/topic?${topics}`)
  for (const q of ['climate', 'flood'])
    assert.match(page, new RegExp(`href="${articles}/feed.atom\\?[^"]*q=${q}"`))
  const menu = menuOf(page)
  const response = await fetch(service.url + menu.link('CSV'))
  assert.equal(response.headers.get('content-type'), 'text/csv; charset=utf-8; header=present')
  const disposition = 'attachment; filename="articles-climate-flood-share-by-month.csv"'
  assert.equal(response.headers.get('content-disposition'), disposition)
  const [head, ...rows] = (await response.text())
    .replace(/^\uFEFF/, '')
    .trim()
    .split('\r\n')
  assert.equal(head, 'publishedAt_month,topic,count,total,share')
  const data = await curlData(menu)
  for (const [at, name] of ['climate', 'flood'].entries()) {
    const own = rows.map((row) => row.split(',')).filter(([, each]) => each === name)
    const shown = own.filter(([, , count]) => count !== '0')
    const groups = data[`topic${at}`].groups.filter(({ count }: Json) => count > 0).toReversed()
    assert.deepEqual(
      shown.map(([month, , count]) => [month || null, count]),
      groups.map((group: Json) => [group.publishedAt_month, `${group.count}`]),
    )
    for (const [, , count, total, share] of own) assert.equal(Number(share), Number(count) / Number(total))
  }
  // A search does not become a formula of a spreadsheet.
  const formula = encodeURIComponent('=HYPERLINK("https://evil.example")')
  const csv = await fetchText(`${articles}/chart.csv?part=topic&q=${formula}&q=climate`)
  assert.match(csv, /,"'=HYPERLINK\(""https:/)
})

test('the records of a topic are taken along from its page', async () => {
  const page = await fetchText(`${articles}/topic?q=climate&language=en`)
  const { techServiceNewsArticle: found } = await service.query(
    '{ techServiceNewsArticle(search: "climate", where: {language: {eq: "en"}}) { totalCount } }',
  )
  const menu = menuOf(page, 0)
  assert.equal((await csvOf(menu.link('CSV'))).length, found.totalCount + 1)
  assert.ok(menu.text('R').includes(menu.link('CSV').replace('&bom=true', '')))
  const feed = /<pre [^>]*>http[^<]*(\/c\/[^<]*feed\.atom[^<]*)<\/pre>/.exec(page)?.[1] ?? ''
  assert.equal(entriesOf(await fetchText(plain(feed))).length, Math.min(30, found.totalCount))
})

test('the values of every chart are at the address of its drawing, with another ending', async () => {
  const [plainHead] = await csvOf(`${articles}/chart.csv?split=language`)
  assert.equal(plainHead, 'publishedAt_day,language,others,count')
  const sumOf = (rows: readonly string[], column: number): number =>
    rows.reduce((sum, row) => sum + Number(row.split(',')[column]), 0)
  const [head, ...rows] = await csvOf(`${articles}/chart.csv?as=share&per=week&language=en`)
  assert.equal(head, 'publishedAt_week,count,total,share')
  const urisOf = async (where: string) =>
    csvOf(
      `/api/graphql?format=csv&query=${encodeURIComponent(`{ techServiceNewsArticle(where: ${where}) { nodes { uri } } }`)}`,
    )
  const [, ...english] = await urisOf('{language: {eq: "en"}}')
  assert.equal(sumOf(rows, 1), english.length)
  for (const row of rows) {
    const [, count, total, share] = row.split(',').map(Number)
    assert.equal(share, (count ?? 0) / (total ?? 0), row)
  }
  const [splitHead, ...parts] = await csvOf(`${articles}/chart.csv?as=share&per=week&split=language`)
  assert.equal(splitHead, 'publishedAt_week,language,others,count,total,share')
  // Those without a time have rows of their own.
  const [, ...all] = await urisOf('{}')
  assert.equal(sumOf(parts, 3), all.length)
})

const noCurl = missing('curl')
const noPython = missing('python3')
const noR = missing('Rscript')

/** What the page of English articles with an `a` in their titles offers, and the answer to its own query. */
async function offered() {
  const menu = menuOf(await fetchText(`${articles}?language=en&title.contains=a`))
  const shown = new URLSearchParams(menu.link('Open in the GraphQL playground').split('#')[1])
  const query = shown.get('query') ?? ''
  const variables = JSON.parse(shown.get('variables') ?? '{}')
  const data = await service.query(query, variables)
  assert.equal(data.list.edges.length, 20)
  return { menu, query, data }
}

test('a search of all collections is taken along as its query', { skip: noCurl }, async () => {
  const page = await fetchText('/search?q=climate')
  const data = await curlData(menuOf(page))
  const first = /<h3><a href="\/at\/([^"]*)"/.exec(page)?.[1]
  assert.equal(data.found.nodes[0].uri, `at://${first}`)
  assert.doesNotMatch(await fetchText('/search?q=nosuchwordanywhere'), /class="take"/)
})

test('the playground and the command of curl ask what the page asks', { skip: noCurl }, async () => {
  const { menu, query, data } = await offered()
  assert.equal(query, menu.text('GraphQL').split('\n\n#')[0])
  assert.deepEqual(await curlData(menu), data)
})

test('the program in Python asks what the page asks', { skip: noPython }, async () => {
  const { menu, data } = await offered()
  const { stdout } = await run('python3', ['-c', menu.text('Python')])
  assert.deepEqual(JSON.parse(stdout).data, data)
})

test('the program in R reads all records of the page', { skip: noR }, async () => {
  const { menu, data } = await offered()
  const program = inFolder('program.R')
  // In a locale without Unicode, as scheduled programs have.
  const more = `
cat(nrow(records), ncol(records), is.integer(records$wordCount), "\\n")
cat(utf8ToInt(enc2utf8(records$title[1])), "\\n")
cat(anyNA(records$uri), anyNA(records$description), any(records$description == "", na.rm = TRUE), "\\n")`
  writeFileSync(program, menu.text('R') + more)
  const { stdout } = await run('Rscript', ['--vanilla', program], { env: { ...process.env, LC_ALL: 'C' } })
  const [numbers, title, gaps] = stdout.trim().split('\n').slice(-3)
  const [head = ''] = (await fetchText(menu.link('CSV'))).split('\r\n')
  assert.equal(numbers?.trim(), `${data.list.totalCount} ${head.split(',').length} TRUE`)
  const points = title?.trim().split(' ').map(Number) ?? []
  assert.equal(String.fromCodePoint(...points), data.list.edges[0].node.title)
  assert.equal(gaps?.trim(), 'FALSE TRUE FALSE')
})

test('the program in R reads the values of a chart', { skip: noR }, async () => {
  const menu = menuOf(await fetchText(`${articles}/topic?${topics}`))
  const more = '\ncat(names(records), nrow(records), max(records$share, na.rm = TRUE) <= 1)'
  const program = inFolder('chart.R')
  writeFileSync(program, menu.text('R') + more)
  const { stdout } = await run('Rscript', ['--vanilla', program])
  const rows = (await csvOf(menu.link('CSV'))).length - 1
  assert.equal(stdout.trim().split('\n').at(-1), `publishedAt_month topic count total share ${rows} TRUE`)
})

test('a value from an address stays a value in commands, programs and files', async () => {
  const page = await fetchText(`${articles}?title.contains=${encodeURIComponent(hostile)}`)
  assert.doesNotMatch(page, /<script>/)
  const menu = menuOf(page)
  assert.equal((await curlData(menu)).list.totalCount, 0)
  const variables = JSON.parse(
    new URLSearchParams(menu.link('Open in the GraphQL playground').split('#')[1]).get('variables') ?? '',
  )
  assert.equal(variables.where.title.contains, hostile)
  const python = menu.text('Python').split('\nrequest = ')[0]
  const read = await run('python3', ['-c', `${python}\nprint(json.dumps(variables))`]).catch(() => null)
  if (read !== null) assert.deepEqual(JSON.parse(read.stdout), variables)
  const csv = new URL(service.url + menu.link('CSV'))
  assert.equal(JSON.parse(csv.searchParams.get('variables') ?? '').where.title.contains, hostile)
  assert.doesNotMatch(menu.text('R').split('"')[1] ?? '', /['\\`$<]/)
})

test('pages of others may include the list, and no other page', async () => {
  const policyOf = async (path: string) =>
    (await fetch(service.url + path)).headers.get('content-security-policy') ?? ''
  assert.match(await policyOf(`/embed${articles}?language=fr`), /frame-ancestors \*$/)
  assert.match(await policyOf(`${articles}?language=fr`), /frame-ancestors 'none'$/)
  assert.match(await policyOf(`${articles}/feed.atom`), /frame-ancestors 'none'$/)
  assert.match(await policyOf(`/embed${articles}/chart?language=fr`), /frame-ancestors \*$/)
  const chart = await fetchText(`/embed${articles}/chart?language=fr&as=share&per=week`)
  assert.match(chart, /<h1><a href="[^"]*">Articles: Language: French<\/a><\/h1><figure/)
  const drawing = await drawingAt(`${articles}/chart.svg?language=fr&as=share&per=week`)
  for (const said of [
    'Articles: Language: French',
    'Source: Lexigraph. Index as of',
    `${articles}?language=fr`,
  ])
    assert.ok(drawing.includes(said), said)
  const ofTopics = await drawingAt(`${articles}/chart.svg?part=topic&q=flood&q=climate&language=en`)
  assert.ok(ofTopics.includes('Articles: “flood”; “climate”; Language: English'))
  const [, title] = /font-weight="600">([^<]*)/.exec(ofTopics) ?? []
  assert.match(title ?? '', /“flood”, “climate”: Share of the articles in English per /)
  const embedded = await fetchText(`/embed${articles}?language=fr`)
  assert.match(embedded, /<base target="_blank"\/>/)
  assert.doesNotMatch(embedded, /<header/)
})

test('an address that a reader could not have written is not on a page', async () => {
  const wrong = ['a.example/"><script>', 'a.example@b.example', 'a.example b', '']
  for (const host of wrong) {
    const asked = ['-s', '--http1.1', '-H', `Host: ${host}`, `${service.url}${articles}`]
    const { stdout } = await run('curl', asked, { maxBuffer: 10_000_000 })
    assert.ok(host === '' || !stdout.includes(host), host)
  }
})
