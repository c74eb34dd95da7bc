/** Reads the metadata for callers, in SQL for every engine. */
import type { ReadDatabase } from '../database.ts'
import { readHidings } from './hidings.ts'
import { findKey, readKeys, readUsage } from './keys.ts'
import { measurePurge } from './purges.ts'
import { readRejections } from './read-rejections.ts'
import type { Steps } from './steps.ts'

type MetadataQueries = Pick<
  ReadDatabase,
  'readSteps' | 'findKey' | 'readKeys' | 'readUsage' | 'readHidings' | 'readPurgeExtent' | 'readRejections'
>

export abstract class MetadataReader implements MetadataQueries {
  abstract readSteps<Result>(steps: () => Steps<Result>): Promise<Result>

  readonly findKey: ReadDatabase['findKey'] = (hash) => this.readSteps(() => findKey(hash))
  readonly readKeys: ReadDatabase['readKeys'] = () => this.readSteps(readKeys)
  readonly readUsage: ReadDatabase['readUsage'] = (since) => this.readSteps(() => readUsage(since))
  readonly readHidings: ReadDatabase['readHidings'] = () => this.readSteps(readHidings)
  readonly readPurgeExtent: ReadDatabase['readPurgeExtent'] = (subject) =>
    this.readSteps(() => measurePurge(subject))
  readonly readRejections: ReadDatabase['readRejections'] = (limit, after) =>
    this.readSteps(() => readRejections(limit, after))
}
