/** A question that cannot be asked. The message says what is wrong with it and what to write instead, in one or two sentences. */
export class AskError extends Error {
  override readonly name = 'AskError'
}

/** A sentence to append to a message; empty without a suggestion. */
export function didYouMean(suggestion: string | null): string {
  return suggestion === null ? '' : ` Did you mean "${suggestion}"?`
}
