/** Formats numbers for people: commas between thousands, and the noun in singular or plural. */

/** Such as `1,234`. */
export function grouped(count: number): string {
  return count.toLocaleString('en')
}

/** Such as `1 record` or `1,234 records`; `several` is an irregular plural. */
export function counted(count: number, noun: string, several = `${noun}s`): string {
  return `${grouped(count)} ${count === 1 ? noun : several}`
}
