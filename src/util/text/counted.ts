/** Numbers as people read them: with commas between thousands, and with the noun in its number. */

/** Such as `1,234`. */
export function grouped(count: number): string {
  return count.toLocaleString('en')
}

/** Such as `1 record` or `1,234 records`; `several` is the plural where it is not the noun with an s. */
export function counted(count: number, noun: string, several = `${noun}s`): string {
  return `${grouped(count)} ${count === 1 ? noun : several}`
}
