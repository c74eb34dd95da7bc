/** What came of a soak, for people. */
import type { Soaked } from './soak.ts'

export function describeSoaked({ tally, events, checkpoints, growth, sizes, heap }: Soaked): string {
  const kinds = [...tally.kinds()].toSorted(([a], [b]) => (a < b ? -1 : 1))
  const lines = kinds.map(([kind, outcomes]) => {
    const told = Object.entries(outcomes).map(([outcome, count]) => `${count} ${outcome}`)
    return `  ${kind.padEnd(16)} ${told.join(', ')}`
  })
  const memory = growth.map(
    ({ role, first, middle, last, most, descriptors, processes }) =>
      `  ${role.padEnd(16)} ${first.toFixed(0)} MB at first, ${middle.toFixed(0)} in the middle, ${last.toFixed(0)} at last, ${most.toFixed(0)} at most; ` +
      `${processes} at a time with ${descriptors} descriptors each at most`,
  )
  return [
    ...lines,
    ...memory,
    `  ${tally.total()} requests and commands, ${events} events, ${checkpoints} checkpoints; the file has ${sizes.file.toFixed(1)} MB and its log ${sizes.log.toFixed(1)}.`,
    `  Of the memory ${heap.used.toFixed(0)} MB are used by objects and ${heap.external.toFixed(0)} by what they hold.`,
    tally.problemCount === 0 ? '  No problems.' : `  ${tally.problemCount} PROBLEMS:`,
    ...tally.problems.map((problem) => `  - ${problem.replaceAll('\n', '\n    ')}`),
  ].join('\n')
}
