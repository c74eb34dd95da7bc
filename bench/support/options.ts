/** Options of benches, as `name=value` on the command line. */
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

type Defaults = Readonly<Record<string, string | number>>
type Given<Of extends Defaults> = { readonly [Name in keyof Of]: Of[Name] extends number ? number : string }

/** A folder of *.jsonl.gz with news. */
export const benchCorpus = fileURLToPath(new URL('../../../shared/corpus/bench', import.meta.url))
/** Where databases are made, to be used again. */
export const workFolder = join(tmpdir(), 'lexigraph-bench')

/** `defaults` has all options; those that are numbers there must be numbers. */
export function readOptions<const Of extends Defaults>(args: readonly string[], defaults: Of): Given<Of> {
  const given: Record<string, string | number> = { ...defaults }
  for (const arg of args) {
    const [name = '', ...rest] = arg.split('=')
    if (!Object.hasOwn(defaults, name) || rest.length === 0)
      throw new Error(`There is no option ${arg}; write ${Object.keys(defaults).join('=…, ')}=….`)
    const value = rest.join('=')
    const isNumber = typeof defaults[name] === 'number'
    if (isNumber && (value === '' || Number.isNaN(Number(value))))
      throw new Error(`${arg} is not a number; write one, such as ${name}=${defaults[name]}.`)
    given[name] = isNumber ? Number(value) : value
  }
  return given as Given<Of>
}
