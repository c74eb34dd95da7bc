import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadMutants, mutate, root } from './mutant.ts'

for (const [area, mutants] of loadMutants()) {
  test(`every mutant of ${area} fits its source and names a test`, () => {
    for (const mutant of mutants) {
      const source = readFileSync(join(root, mutant.file), 'utf8')
      assert.notEqual(mutate(source, mutant), source)
      assert.ok(existsSync(join(root, mutant.test)), `${mutant.test} is not there.`)
      assert.doesNotMatch(mutant.test, /\.long\.test\.ts$/, 'npm test alone kills every mutant.')
    }
  })
}

test('there are at least 60 mutants', () => {
  assert.ok(Array.from(loadMutants().values()).flat().length >= 60)
})
