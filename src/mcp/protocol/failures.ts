/** Cuts and cleans error messages for callers. */
import { cutText } from '../words/budget.ts'
import { plainText } from '../words/plain-text.ts'

/** Characters; messages quote texts of callers and of services. */
const longest = 1_500

export function tellable({ message }: Error): string {
  return cutText(plainText(message), longest)
}
