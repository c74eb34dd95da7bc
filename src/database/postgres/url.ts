/** Splits the URL of a database into its hosts, of which the driver accepts one, and removes passwords for display. */

/** Returns one URL for each host, in the order of the hosts. */
export function hostsOf(url: string): string[] {
  const [, scheme, user = '', hosts = '', rest = ''] =
    /^(postgres(?:ql)?:\/\/)((?:[^/?#]*@)?)([^/?#]*)(.*)$/s.exec(url) ?? []
  const urls = scheme === undefined ? [] : hosts.split(',').map((host) => scheme + user + host + rest)
  const valid = urls.every((one) => URL.canParse(one.replace(/@(?=[/?#]|$)/, '@socket')))
  if (urls.length > 0 && valid) return urls
  throw new Error(
    `${withoutPassword(url)} is not a valid URL of a database: write postgres://USER:PASSWORD@HOST:PORT/DATABASE, with @ : / ? # % in the password as %40 %3A %2F %3F %23 %25.`,
  )
}

/** For messages, also about invalid URLs, in which the text after a colon may be part of a password. */
export function withoutPassword(url: string): string {
  return (
    url
      .replace(/^((?:[a-z][a-z0-9+.-]*:\/\/|postgres(?:ql)?:)[^:@/?#]*):.*@/is, '$1@')
      .replaceAll(/([?&])(?:ssl)?password=[^&#]*&?/gi, '$1')
      .replace(/[?&]$/, '')
      // The form of libpq's key/value connection strings, which are not URLs.
      .replaceAll(/\b(?:ssl)?password\s*=\s*(?:'[^']*'|[^\s&#]*)/gi, 'password=…')
  )
}
