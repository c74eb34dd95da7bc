/** The parts of a text between commas, such as the value of a setting; empty ones are left out. */
export function parseList(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}
