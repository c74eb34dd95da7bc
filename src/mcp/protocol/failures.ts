/** What callers are told of a failure. */
import { cutText } from '../words/budget.ts'
import { plainText } from '../words/plain-text.ts'

/** Characters of a message: callers' own words stand in it, and those of services. */
const longest = 1_500

export function tellable({ message }: Error): string {
  return cutText(plainText(message), longest)
}
