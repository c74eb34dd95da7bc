/** What the command line says, as `name=value`. */
import { readdirSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { benchCorpus, readOptions, workFolder } from '../support/options.ts'

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
const defaults = {
  questions: '',
  peers: 'all',
  systems: '',
  corpus: benchCorpus,
  seconds: 2,
  rounds: 3,
  out: fileURLToPath(new URL('../results.json', import.meta.url)),
  work: workFolder,
  postgres: '',
  growth: 0,
  page: 'yes',
}

export function parseOptions(args: readonly string[]): Options {
  const given = readOptions(args, defaults)
  const { questions, peers, systems, corpus, out, work, page } = given
  return {
    ...given,
    questions: words(questions),
    peers: peers === 'all' ? allPeers() : words(peers).map(folderOf),
    systems: words(systems),
    corpus: resolve(corpus),
    out: resolve(out),
    work: resolve(work),
    page: page !== 'no',
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
