/** Creates sources from the parsed values of `--from` and `--ingest`, including their network access. */
import type { NetworkReaderOptions } from '../../ingest/sources/change-reader.ts'
import type { Clock } from '../../ingest/sources/clock.ts'
import { createFirehoseSource } from '../../ingest/sources/firehose/firehose.ts'
import type { Hosts } from '../../ingest/sources/repos/hosts.ts'
import type { Identity, IdentityOptions } from '../../ingest/sources/repos/identity.ts'
import { createImportSource } from '../../ingest/sources/files/import.ts'
import { createJetstreamSource } from '../../ingest/sources/messages/jetstream.ts'
import { createRepoExportSource } from '../../ingest/sources/repos/repo-export.ts'
import { createTapSource } from '../../ingest/sources/messages/tap.ts'
import type { Source } from '../../ingest/source.ts'
import type { ParsedSource } from './sources.ts'

interface SourceOptions {
  readonly reader: NetworkReaderOptions
  readonly identity: Identity
  /** For threads, which resolve identities themselves. */
  readonly identityOptions: IdentityOptions
  readonly clock: Clock
  readonly hosts: Hosts
  readonly threads: number
}

export function createSource(
  source: ParsedSource,
  { reader, identity, identityOptions, clock, hosts, threads }: SourceOptions,
): Source {
  const { name } = source
  const shared = { name, reader, clock, threads }
  switch (source.kind) {
    case 'firehose':
      return createFirehoseSource({ ...shared, url: source.url, identity: identityOptions })
    case 'jetstream':
      return createJetstreamSource({ ...shared, url: source.url })
    case 'tap':
      return createTapSource({ ...shared, url: source.url })
    case 'repo-export':
      return createRepoExportSource({ name, target: source.target, reader, identity, clock, hosts })
    case 'import':
      return createImportSource(name, source.inputs, { ...reader, workers: threads })
  }
}
