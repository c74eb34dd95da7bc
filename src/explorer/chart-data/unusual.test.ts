import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isTelling } from './unusual.ts'

/** The probabilities of the counts of a word that `mean` records of a sample have on average. */
function chances(mean: number): readonly number[] {
  const found = [Math.exp(-mean)]
  for (let count = 1; count < mean + 8 * Math.sqrt(mean) + 8; count++)
    found.push((found[count - 1] ?? 0) * (mean / count))
  return found
}

/** How probably a word is shown that this share of other records has, and so many times this share of those here. */
function chanceToBeShown(share: number, ratio: number, here: number, elsewhere: number): number {
  let sum = 0
  for (const [own, likely] of chances(share * ratio * here).entries())
    for (const [other, likelyOther] of chances(share * elsewhere).entries()) {
      const shares = { score: 9, share: own / here, againstShare: other / elsewhere }
      if (isTelling(shares, here, elsewhere)) sum += likely * likelyOther
    }
  return sum
}

const samples = [300, 1_300, 2_500, 5_000]
/** Of more than 5,000 records about half of this number are read, or more. */
const sampled = [2_500, 5_000]

test('a word that is only four times as frequent is rarely taken for one of six times, at any sample size', () => {
  for (const here of samples)
    for (const elsewhere of sampled)
      for (const share of [0.0002, 0.0004, 0.001, 0.004, 0.01])
        for (const ratio of [1, 2, 4]) {
          const chance = chanceToBeShown(share, ratio, here, elsewhere)
          assert.ok(chance < 0.1, `${here} ${elsewhere} ${share} ${ratio}: ${chance}`)
        }
})

test('a word that is much more frequent is shown', () => {
  for (const elsewhere of sampled) assert.ok(chanceToBeShown(0.001, 40, 5_000, elsewhere) > 0.95)
  assert.ok(chanceToBeShown(0.002, 15, 5_000, 5_000) > 0.9)
})
