import { fileURLToPath } from 'node:url'

/** A file of tiers for tests that ask more, or on a busier machine, than callers may. */
export const generousTiers = fileURLToPath(new URL('generous-tiers.json', import.meta.url))
