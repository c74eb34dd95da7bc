/** Texts are found whatever their length, and whether a file keeps them folded or was made before it did. */
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { onEveryEngine } from './support/store/databases.ts'
import type { StoredLine } from './support/service/engine.ts'
import { openTestService, type TestService } from './support/service/service.ts'
import { temporaryFolder } from './support/store/store.ts'
import { line, thing } from './support/records/things.ts'

const inFolder = temporaryFolder()
const lexicons = [thing({ text: { type: 'string', maxGraphemes: 3000 } })]

/** Around the length from which a text is folded when it is looked through, of all cases and with accents. */
const texts = ['Über ', 'Uber ', ' ber'].flatMap((start) =>
  ['', 'É', 'zwei'].flatMap((end) =>
    [0, 330, 331, 332, 333, 334, 700].map((times) => start + 'Ab '.repeat(times) + end),
  ),
)
const lines = texts.map((text, index) => line(`k${String(index).padStart(2, '0')}`, { text }))
const needles = ['ab a', 'AB ', 'uber', 'ber', 'ber e', 'É', 'zwei', 'b zwei', 'ab ab ab ab ', 'nowhere']

for (const way of ['load', 'batch'] as const)
  onEveryEngine(
    `texts of any length are found after a ${way}, and after they have changed`,
    async (database) => {
      await using service = await openTestService({
        lexicons,
        database,
        records: way === 'load' ? lines : [],
      })
      if (way === 'batch') await service.store(lines)
      await assertFound(service, texts)
      await assertChanged(service)
    },
  )

test('texts are found in a file that keeps none folded, and changed there', async () => {
  const path = inFolder('before.db')
  {
    await using service = await openTestService({
      lexicons,
      database: new URL(`sqlite:${path}`),
      records: lines,
    })
    await assertFound(service, texts)
  }
  const database = new DatabaseSync(path)
  const { changes } = database
    .prepare(
      `update "org.example.thing" set ".text:folded" = null where ".text:folded" = lower(record ->> '$.text')`,
    )
    .run()
  database.close()
  assert.ok(Number(changes) > 0)
  await using service = await openTestService({ lexicons, database: new URL(`sqlite:${path}`) })
  await assertFound(service, texts)
  await assertChanged(service)
})

async function assertChanged(service: TestService): Promise<void> {
  const turned = texts.toReversed()
  await service.store(lines.map((one, index) => ({ ...one, value: { ...one.value, text: turned[index] } })))
  await assertFound(service, turned)
}

async function assertFound(service: TestService, stored: readonly string[]): Promise<void> {
  for (const needle of needles)
    for (const [operator, holds] of [
      ['contains', (text: string) => text.includes(folded(needle))],
      ['startsWith', (text: string) => text.startsWith(folded(needle))],
    ] as const) {
      const { orgExampleThing } = await service.data(
        `query ($needle: String!) { orgExampleThing(first: 100, where: {text: {${operator}: $needle}}) { nodes { uri } } }`,
        { needle },
      )
      const expected = lines.flatMap(({ uri }, index) => (holds(folded(stored[index] ?? '')) ? [uri] : []))
      const found = orgExampleThing.nodes.map(({ uri }: StoredLine) => uri)
      assert.deepEqual(found.toSorted(), expected, `${operator} ${needle}`)
    }
}

function folded(text: string): string {
  return text.toLowerCase().replaceAll('ü', 'u').replaceAll('é', 'e')
}
