/** Reads the settings of the web pages for people, and assembles the explorer. */
import { join } from 'node:path'
import type { IndexStatus } from '../../database/database.ts'
import type { Subjects } from '../../explorer/fields/subject.ts'
import type { SiteOperator } from '../../explorer/page.ts'
import type { ExplorerRoutes, Logo } from '../../server/explorer/explorer-routes.ts'
import { displayFile } from '../../lexicon/document.ts'
import { parseList } from '../../util/text/list.ts'
import { priceOf } from '../../query/execute/execute.ts'
import type { GivenRoles } from '../../schema/model/roles.ts'
import type { Logs } from '../log-stream.ts'
import type { ReadService } from '../service/service.ts'
import { CommandError, readNamed, readVersion } from '../command.ts'
import type { Config } from '../settings/settings.ts'
import { lexiconFailure, type ProjectContext } from '../store/project.ts'

/** Fails with a sentence for the first setting that is wrong. */
export async function openExplorer(
  served: ReadService,
  config: Config,
  readIndex: () => Promise<IndexStatus>,
  onFault: (error: Error) => void,
): Promise<ExplorerRoutes> {
  const { schema, engine, database, root } = served
  const subjects = await subjectsOf(served)
  const logo = await readLogo(config['explorer-logo'])
  const operator: SiteOperator = {
    logo: logo === null ? null : logo.path,
    contact: contactOf(config['explorer-contact']),
    note: await readNote(config['explorer-note']),
    origin: originOf(config['explorer-address']),
    imageHosts: imageHostsOf(config['explorer-image-hosts']),
  }
  return {
    async create(assets) {
      const { createChartRenderer } = await import('../../explorer/charts/chart-renderer.ts')
      const { createExplorer } = await import('../../explorer/explorer.ts')
      return createExplorer({
        schema,
        subjects,
        charts: createChartRenderer({ onFault }),
        title: config['explorer-title'],
        operator,
        assets,
        price: (operation) => priceOf(operation, engine),
        readIndex,
      })
    },
    dataVersion: () => database.read.dataVersion(),
    version: readVersion(root),
    imageHosts: operator.imageHosts,
    logo,
  }
}

type Shown = Pick<ProjectContext, 'model' | 'display' | 'dir'>

/** The collections as pages show them, and what is wrong with `display.json`. */
export async function showSubjects({ model, display: content, dir }: Shown) {
  const { createSubjects } = await import('../../explorer/fields/subject.ts')
  const plain = createSubjects(model)
  if (content === undefined) return { subjects: plain, problems: [] }
  const { readDisplay } = await import('../../explorer/fields/read-display.ts')
  const { display, problems } = readDisplay(content, plain.all)
  const file = join(dir, displayFile)
  return { subjects: createSubjects(model, display), problems: problems.map((one) => ({ ...one, file })) }
}

/** Fails with a sentence for a wrong `display.json`. */
async function subjectsOf(shown: Shown): Promise<Subjects> {
  const { subjects, problems } = await showSubjects(shown)
  if (problems.length > 0) throw new CommandError(lexiconFailure(problems))
  return subjects
}

/** What servers for agents are made of, on standard output or HTTP. */
export async function agentParts(shown: Shown, root: URL, { chatgpt }: Config, log: Logs['framework']) {
  return {
    model: shown.model,
    roles: await rolesIn(shown),
    now: () => new Date(),
    version: readVersion(root),
    chatgpt,
    onFault: (error: Error) => log.error({ err: error }, 'A tool failed by our fault.'),
  }
}

/** What `display.json` says of the fields that represent records. Fails with a sentence for a wrong file. */
async function rolesIn(shown: Shown): Promise<GivenRoles> {
  if (shown.display === undefined) return new Map()
  const { all } = await subjectsOf(shown)
  return new Map(all.map(({ collection, display }) => [collection.nsid, display.roles]))
}

/** Bytes. */
const largestLogo = 500_000

async function readLogo(file: string | null): Promise<Logo | null> {
  if (file === null) return null
  const content = await readNamed(file, '--explorer-logo: ')
  const found = imageTypes.find(({ start }) => start.test(content.toString('latin1', 0, 500)))
  if (found === undefined)
    throw new CommandError(`--explorer-logo: ${file} is not an SVG, PNG, JPEG or WebP image.`)
  if (content.length > largestLogo)
    throw new CommandError(
      `--explorer-logo: ${file} has ${content.length} bytes; a logo has at most ${largestLogo}.`,
    )
  return { path: `/explorer/logo.${found.extension}`, type: found.type, content }
}

/** By how the first bytes of a file read in Latin-1. */
const imageTypes = [
  { type: 'image/png', extension: 'png', start: /^\x89PNG/ },
  { type: 'image/jpeg', extension: 'jpg', start: /^\xFF\xD8\xFF/ },
  { type: 'image/webp', extension: 'webp', start: /^RIFF.{4}WEBP/s },
  {
    type: 'image/svg+xml',
    extension: 'svg',
    start: /^(\xEF\xBB\xBF)?\s*(<\?xml|<!--|<!DOCTYPE svg|<svg)/i,
  },
]

function contactOf(text: string | null): string | null {
  if (text === null) return null
  const address = text.trim()
  if (/^https:\/\//i.test(address) && URL.canParse(address)) return address
  if (/^[^\s@:/?#<>"]+@[^\s@:/?#<>"]+\.[^\s@:/?#<>".]+$/.test(address)) return `mailto:${address}`
  throw new CommandError(`--explorer-contact is a mail address or an https URL, not ${JSON.stringify(text)}.`)
}

const longestNote = 5_000

async function readNote(text: string | null): Promise<readonly string[]> {
  if (text === null) return []
  const note = text.startsWith('@')
    ? (await readNamed(text.slice(1), '--explorer-note: ')).toString('utf8')
    : text
  if (note.length > longestNote)
    throw new CommandError(
      `--explorer-note has ${note.length} characters, and may have ${longestNote}; link to a page with the rest.`,
    )
  return note
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => paragraph !== '')
}

function originOf(text: string | null): string | null {
  if (text === null) return null
  const url = URL.canParse(text) ? new URL(text) : null
  const isOrigin =
    url !== null && /^https?:$/.test(url.protocol) && [url.origin, `${url.origin}/`].includes(url.href)
  if (!isOrigin)
    throw new CommandError(
      `--explorer-address is the address of the first page, such as https://news.example, without a path; not ${JSON.stringify(text)}.`,
    )
  return url.origin
}

const hostForm = /^(\*|(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)*(:\d{1,5})?)$/

function imageHostsOf(text: string | null): readonly string[] {
  const hosts = parseList(text ?? '').map((host) => host.toLowerCase())
  for (const host of hosts)
    if (!hostForm.test(host))
      throw new CommandError(
        `--explorer-image-hosts: ${JSON.stringify(host)} is not a host such as images.example.org, *.example.org or *.`,
      )
  return hosts
}
