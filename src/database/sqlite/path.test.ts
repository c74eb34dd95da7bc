import assert from 'node:assert/strict'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { test } from 'node:test'
import { temporaryFolder } from '../../../test/support/store/store.ts'
import { fill, line, open, size, thing } from '../../../test/support/records/things.ts'
import { openDatabase } from '../open.ts'
import { parseSqlitePath } from './path.ts'

const inFolder = temporaryFolder()

test('a file is named by its path, with or without the scheme', () => {
  const paths = [
    ['lib.db', 'lib.db'],
    ['./a folder/lib.db', './a folder/lib.db'],
    ['/srv/lib.db', '/srv/lib.db'],
    ['sqlite:lib.db', 'lib.db'],
    ['sqlite:../lib.db', '../lib.db'],
    ['sqlite:/srv/lib.db', '/srv/lib.db'],
    ['sqlite:///srv/lib.db', '/srv/lib.db'],
    ['sqlite:////srv/lib.db', '/srv/lib.db'],
    ['sqlite::memory:', ':memory:'],
    [':memory:', ':memory:'],
    ['odd?name#.db', 'odd?name#.db'],
  ] as const
  for (const [url, path] of paths) assert.equal(parseSqlitePath(url), path)
})

test('a URL that names no file is refused with advice, and no file is made', async () => {
  const before = readdirSync(process.cwd())
  const wrong = [
    [
      'sqlite://lib.db',
      /Write sqlite:lib\.db for a path from the present folder, or sqlite:\/\/\/lib\.db for/,
    ],
    ['sqlite://folder/lib.db', /Write sqlite:folder\/lib\.db .*sqlite:\/\/\/folder\/lib\.db/],
    ['sqlite://', /Two slashes/],
    ['sqlite:', /names no file/],
    ['sqlite:lib.db?mode=ro', /options are not taken/],
    ['sqlite:file:lib.db', /"file:" is not a scheme/],
    ['file:lib.db', /"file:" is not a scheme/],
    ['sqlite3:lib.db', /"sqlite3:" is not a scheme/],
    ['SQLite:lib.db', /"SQLite:" is not a scheme/],
    ['POSTGRES://db/name', /"POSTGRES:" is not a scheme/],
    ['pg://user:secret@db/name', /"pg:" is not a scheme of a database\. Write sqlite:PATH/],
    ['localhost:5432/name', /"localhost:" is not a scheme/],
    ['host=db dbname=name password=secret', /It is not a URL\. Write sqlite:PATH/],
    [':MEMORY:', /Did you mean sqlite::memory:\?/],
    [':memory', /Did you mean sqlite::memory:\?/],
    ['"sqlite:lib.db"', /quotes are part of its name/],
    ["'lib.db'", /quotes are part of its name/],
    ['lib.db ', /white space at an end/],
    ['lib.db\n', /white space at an end/],
    ['lib\0.db', /control character/],
  ] as const
  for (const [url, message] of wrong)
    await assert.rejects(
      openDatabase(url, { tables: [], fingerprint: 'f', check: () => null, now: () => 0n }),
      (error: Error) => message.test(error.message) && !error.message.includes('secret'),
      url,
    )
  assert.equal(existsSync('/lib.db'), false)
  assert.deepEqual(readdirSync(process.cwd()), before)
})

test('only the user who makes a file may read it, its log and its shared memory', async () => {
  const umask = process.umask(0o022)
  try {
    const path = inFolder('private.db')
    await fill(path, [thing(size)], [line('a', {})])
    await using store = await open(path, [thing(size)])
    await store.apply(line('b', {}))
    for (const file of [path, `${path}-wal`, `${path}-shm`])
      assert.equal((statSync(file).mode & 0o777).toString(8), '600', file)
  } finally {
    process.umask(umask)
  }
})
