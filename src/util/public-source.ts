/**
 * What callers may be told of where records come from: public hosts, but no files and no addresses within somebody's
 * network. Said in patterns of `like`, because the database has to tell as well; over names in small letters.
 */

interface Pattern {
  readonly like: string
  /** And none of these. */
  readonly unlike?: readonly string[]
}

const localDomains = [
  'local',
  'localhost',
  'internal',
  'intranet',
  'lan',
  'corp',
  'home',
  'home.arpa',
  'test',
]

/** Of names that are `kind:address`, those of which only the kind is told. */
export const internalSources: readonly Pattern[] = [
  { like: 'import:%' },
  { like: 'repo-export:%', unlike: ['repo-export:did:%', 'repo-export:http%'] },
  // One word is a name that only a network of its own knows.
  { like: '%://%', unlike: ['%://%.%'] },
  { like: '%://localhost%' },
  { like: '%://[%' },
  ...Array.from({ length: 10 }, (_, digit) => ({ like: `%://${digit}%` })),
  ...localDomains.flatMap((domain) => ['', ':%', '/%'].map((rest) => ({ like: `%.${domain}${rest}` }))),
]

export const sourceKinds = ['firehose', 'jetstream', 'tap', 'repo-export', 'import'] as const

/** The name itself, or its kind. */
export function publicSourceName(name: string): string {
  const small = name.toLowerCase()
  const isInternal = internalSources.some(
    ({ like, unlike = [] }) => isLike(small, like) && !unlike.some((pattern) => isLike(small, pattern)),
  )
  return isInternal ? (sourceKinds.find((kind) => small.startsWith(`${kind}:`)) ?? 'source') : name
}

function isLike(text: string, pattern: string): boolean {
  const parts = pattern.split('%').map((part) => part.replaceAll(/[.[/]/g, String.raw`\$&`))
  return new RegExp(`^${parts.join('.*')}$`, 's').test(text)
}
