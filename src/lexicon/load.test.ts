import assert from 'node:assert/strict'
import { mkdirSync, mkdtempDisposableSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { recordDoc } from '../../test/support/lexicons/documents.ts'
import { loadLexicons } from './load.ts'

const stress = fileURLToPath(new URL('../../test/schemas/stress/lexicons', import.meta.url))

/** A directory with these files in it, removed at the end of the test. */
function directoryOf(files: Readonly<Record<string, string | object>>) {
  const dir = mkdtempDisposableSync(join(tmpdir(), 'lexicons-'))
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(dir.path, name)), { recursive: true })
    writeFileSync(join(dir.path, name), typeof content === 'string' ? content : JSON.stringify(content))
  }
  return dir
}

async function problemsOf(dir: string) {
  const result = await loadLexicons(dir)
  return result.ok ? [] : result.problems
}

test('a tree of documents loads, with references.json at its root', async () => {
  const result = await loadLexicons(stress)
  assert.ok(result.ok, JSON.stringify(result))
  assert.equal(result.lexicons.documents.length, 8)
  assert.deepEqual(result.lexicons.targets.get('example.with-dash.dashed#node'), [
    'example.stress.node',
    'org.elsewhere.thing',
  ])
})

test('references.json is optional, and a document anywhere but at the root', async () => {
  using dir = directoryOf({
    'x/references.json': recordDoc('a.b.references', {}),
    'note.txt': 'no JSON',
    '.hidden/x.json': '!',
  })
  const result = await loadLexicons(dir.path)
  assert.ok(result.ok && result.lexicons.targets.size === 0)
})

test('links to files and folders are followed, and circles end', async () => {
  using dir = directoryOf({ '.data/deep/x.json': recordDoc('a.b.c', {}) })
  symlinkSync(join(dir.path, '.data', 'deep'), join(dir.path, 'linked'))
  symlinkSync(dir.path, join(dir.path, 'circle'))
  assert.deepEqual(await problemsOf(dir.path), [])
})

test('problems of all files come together, each with its file', async () => {
  using dir = directoryOf({
    'a/broken.json': '{"lexicon": 1,',
    'a/deep.json': '['.repeat(100_000),
    'a/deepest.json': '['.repeat(128) + ']'.repeat(128),
    'a/too-deep.json': '['.repeat(129) + ']'.repeat(129),
    'b.json': recordDoc('a.b.c', { x: { type: 'ref', ref: 'a.b.d' } }),
    'references.json': '{"a.b.c#y": []}',
  })
  writeFileSync(join(dir.path, 'a', 'latin.json'), Buffer.from([0x22, 0xe9, 0x22]))
  const problems = await problemsOf(dir.path)
  assert.deepEqual(
    problems.map(({ file, problem }) => [file, problem.replace(/(not JSON).*/, '$1')]),
    [
      [join(dir.path, 'a/broken.json'), 'This file is not JSON'],
      [join(dir.path, 'a/deep.json'), 'This file nests deeper than 128 levels.'],
      [join(dir.path, 'a/latin.json'), 'This file is not JSON'],
      [join(dir.path, 'a/too-deep.json'), 'This file nests deeper than 128 levels.'],
      [join(dir.path, 'a/deepest.json'), `${'['.repeat(80)}… is not an object.`],
      [join(dir.path, 'b.json'), '"a.b.d" does not resolve: no lexicon of that id is here.'],
      [join(dir.path, 'references.json'), 'a.b.c has no property "y".'],
    ],
  )
})

test('a file whose name is nearly that of another file than a lexicon is refused with the name', async () => {
  const spellings = ['references.json', 'stories.json', 'display.json'].flatMap((right) => {
    const [stem = '', singular = stem.replace(/ies$/, 'y').replace(/s$/, '')] = right.split('.json', 1)
    const swapped = `${stem[1]}${stem[0]}${stem.slice(2)}.json`
    const endings = ['jsn', 'JSON', 'jsno', 'json5', 'jsonc'].map((ending) => `${stem}.${ending}`)
    const doubled = `${stem}${stem.at(-1)}.json`
    return [stem, `${singular}.json`, `x/${right}`, swapped, doubled, ...endings]
      .filter((wrong) => wrong !== right)
      .map((wrong) => [wrong, right] as const)
  })
  for (const [wrong, right] of spellings) {
    using dir = directoryOf({ 'a.json': recordDoc('a.b.c', {}), [wrong]: { 'a.b.c': {} } })
    const problems = await problemsOf(dir.path)
    assert.deepEqual(
      problems.map(({ file }) => file),
      [join(dir.path, wrong)],
    )
    assert.ok(problems[0]!.remedy.startsWith(`Did you mean "${right}", at the root`), `${wrong}: ${right}`)
  }
})

test('lexicons, backups, records and other files may have such names', async () => {
  using dir = directoryOf({
    'story.json': recordDoc('a.b.story', {}),
    'x/display.json': recordDoc('a.b.display', {}),
    'references.json~': '',
    'references.json.bak': '',
    'stories.jsonl': '',
    'display.md': '',
    LICENSE: '',
    'x/references': '',
  })
  assert.deepEqual(await problemsOf(dir.path), [])
})

test('a directory that is missing, empty, or a file is one problem', async () => {
  using dir = directoryOf({ 'file.json': '{}', 'empty/note.txt': '', 'only/references.json': '{}' })
  for (const [name, expected] of [
    ['nowhere', /does not exist\.$/],
    ['empty', /has no lexicon documents in it\.$/],
    ['only', /has no lexicon documents in it\.$/],
    ['file.json', /is a file\.$/],
  ] as const) {
    const problems = await problemsOf(join(dir.path, name))
    assert.equal(problems.length, 1)
    assert.match(problems[0]!.problem, expected)
  }
})

test('a broken link is named', async () => {
  using dir = directoryOf({ 'x.json': recordDoc('a.b.c', {}) })
  symlinkSync('nowhere.json', join(dir.path, 'gone.json'))
  assert.match((await problemsOf(dir.path))[0]!.problem, /has the broken link "gone\.json" in it/)
})

test('a set without records names the directory', async () => {
  using dir = directoryOf({ 'x.json': { lexicon: 1, id: 'a.b.c', defs: { x: { type: 'string' } } } })
  const [problem] = await problemsOf(dir.path)
  assert.equal(join(problem!.file), join(dir.path))
})

test('stories.json names properties of the right kinds', async () => {
  const properties = {
    title: { type: 'string', maxGraphemes: 300 },
    at: { type: 'string', format: 'datetime' },
    of: { type: 'string', format: 'at-uri' },
  }
  const problemsWith = async (stories: unknown): Promise<readonly string[]> => {
    using dir = directoryOf({ 'a.json': recordDoc('a.b.c', properties), 'stories.json': stories as object })
    return (await problemsOf(dir.path)).map(({ path, problem, remedy }) => `${path}: ${problem} ${remedy}`)
  }
  assert.deepEqual(await problemsWith({ 'a.b.c': { title: 'title', time: 'at', original: 'of' } }), [])
  assert.deepEqual(await problemsWith([]), [
    ': The stories are no JSON object. Write an object such as {"a.b.article": {"title": "title", "summary": "description", "time": "publishedAt"}}.',
  ])
  assert.deepEqual(await problemsWith({ 'a.b.d': {} }), [
    'a.b.d: "a.b.d" is no record type of these lexicons. Did you mean "a.b.c"?',
  ])
  assert.deepEqual(await problemsWith({ 'a.b.c': { title: 'titel', time: 'title', tiem: 'at' } }), [
    'a.b.c.tiem: Stories have no member "tiem". Name one of: title, summary, time, original.',
    'a.b.c.title: a.b.c has no property "titel". Did you mean "title"?',
    'a.b.c.time: a.b.c#title is not a string of format datetime. Name another property.',
  ])
  assert.deepEqual(await problemsWith({ 'a.b.c': { title: 'of' } }), [
    'a.b.c.title: a.b.c#of is not a string without a format. Name another property.',
    'a.b.c.time: "time" is missing. Name the property with a string of format datetime.',
  ])
})
