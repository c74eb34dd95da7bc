/** A name or value in a sentence, whose direction may be another: between a first strong isolate and its end. */
export function isolated(text: string | number): string {
  return `\u2068${text}\u2069`
}
