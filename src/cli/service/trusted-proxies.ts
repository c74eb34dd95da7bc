/** The proxies of `--trusted-proxies`. */
import { UsageError } from '../../errors.ts'
import type { Config } from '../settings/settings.ts'

/** Addresses, networks and names of ranges; the parser is loaded only if the setting is given. */
export async function trustedProxiesOf({ 'trusted-proxies': text }: Config): Promise<readonly string[]> {
  if (text === null) return []
  const { parseTrustedProxies } = await import('../../server/admission/limits/address.ts')
  try {
    return parseTrustedProxies(text)
  } catch (cause) {
    throw new UsageError((cause as Error).message, { cause })
  }
}
