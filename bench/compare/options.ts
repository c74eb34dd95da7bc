/** What the command line says, as `name=value`. */
import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface Options {
  /** Words that questions begin with; none: all of them. */
  readonly questions: readonly string[]
  /** Folders of peers. */
  readonly peers: readonly string[]
  /** Names of our systems and limits; none: all of them. */
  readonly systems: readonly string[]
  /** A folder of *.jsonl.gz. */
  readonly corpus: string
  readonly seconds: number
  readonly rounds: number
  readonly out: string
  /** Where databases are made, to be used again. */
  readonly work: string
  /** Of a server whose user may create databases; empty: one is started, and is gone afterwards. */
  readonly postgres: string
  /** 0: not measured. */
  readonly growth: number
  /** Whether docs/performance.md and its plots are written. */
  readonly page: boolean
}

const peersFolder = fileURLToPath(new URL('../peers/', import.meta.url))
const defaults: Readonly<Record<string, string>> = {
  questions: '',
  peers: 'all',
  systems: '',
  corpus: fileURLToPath(new URL('../../../shared/corpus/bench', import.meta.url)),
  seconds: '2',
  rounds: '3',
  out: fileURLToPath(new URL('../results.json', import.meta.url)),
  work: join(tmpdir(), 'lexigraph-bench'),
  postgres: '',
  growth: '0',
  page: 'yes',
}

export function parseOptions(args: readonly string[]): Options {
  const given: Record<string, string> = { ...defaults }
  for (const arg of args) {
    const [name = '', ...value] = arg.split('=')
    if (!Object.hasOwn(defaults, name) || value.length === 0)
      throw new Error(`There is no option ${arg}; write ${Object.keys(defaults).join('=…, ')}=….`)
    given[name] = value.join('=')
  }
  const of = (name: string): string => given[name] ?? ''
  return {
    questions: words(of('questions')),
    peers: of('peers') === 'all' ? allPeers() : words(of('peers')).map(folderOf),
    systems: words(of('systems')),
    corpus: resolve(of('corpus')),
    seconds: Number(of('seconds')),
    rounds: Number(of('rounds')),
    out: resolve(of('out')),
    work: resolve(of('work')),
    postgres: of('postgres'),
    growth: Number(of('growth')),
    page: of('page') !== 'no',
  }
}

export function nameOfPeer(folder: string): string {
  return basename(folder)
}

/** A name of one in bench/peers, or a path to one elsewhere. */
function folderOf(word: string): string {
  return word.includes('/') ? resolve(word) : join(peersFolder, word)
}

function allPeers(): readonly string[] {
  try {
    const found = readdirSync(peersFolder, { withFileTypes: true }).filter((it) => it.isDirectory())
    return found.map(({ name }) => join(peersFolder, name)).toSorted()
  } catch {
    return []
  }
}

function words(text: string): readonly string[] {
  return text === 'none' ? [] : text.split(',').filter((word) => word !== '')
}
