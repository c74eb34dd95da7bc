/**
 * Deliberate faults of one line, stored as data, with the tests that must notice them. `run.ts` tries them all;
 * `mutants.test.ts` holds that each still fits the source.
 */
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface Mutant {
  /** Path from the root. */
  readonly file: string
  /** What goes wrong, in a few words. */
  readonly fault: string
  /** Text within one line that stands once in the file. */
  readonly from: string
  /** What is written instead; may be empty. */
  readonly to: string
  /** The test file that notices it, a path from the root. */
  readonly test: string
}

export const root = fileURLToPath(new URL('../../', import.meta.url))

/** All mutants, by area: the name of their file. */
export function loadMutants(): ReadonlyMap<string, readonly Mutant[]> {
  const files = globSync('test/mutants/*.json', { cwd: root }).toSorted()
  return new Map(
    files.map((file) => [basename(file, '.json'), JSON.parse(readFileSync(join(root, file), 'utf8'))]),
  )
}

/** The mutated source; throws a sentence when the mutant does not fit it. */
export function mutate(source: string, { file, from, to }: Mutant): string {
  const parts = source.split(from)
  if (from.includes('\n') || to.includes('\n')) throw new Error(`A mutant of ${file} has several lines.`)
  if (parts.length !== 2)
    throw new Error(`${JSON.stringify(from)} stands ${parts.length - 1} times in ${file}.`)
  return parts.join(to)
}
