/** The notices of rebuilds for other lexicons: before, afterwards, and when none is made. */
import type { LostCollection } from '../../database/database.ts'
import { type RebuildProgress, rebuildSentence } from '../../database/rebuild/rebuild-report.ts'
import type { RebuildReport } from '../../database/rebuild/rebuild-report.ts'
import { notify } from '../command.ts'
import type { Config } from '../settings/settings.ts'
import { counted, grouped } from '../../util/text/counted.ts'

export function notifyRebuilt(config: Config, { collections }: RebuildReport, lexicons: string): void {
  notify(config, `The index was rebuilt for the lexicons in ${lexicons}.`)
  for (const { name, served, stored, refused, accepted, reasons } of collections) {
    if (!served && stored > 0)
      notify(
        config,
        `${name}: ${counted(stored, 'record')} kept but no longer served, because the lexicons do not have this collection.`,
        'warn',
      )
    if (refused > 0)
      notify(
        config,
        `${name}: ${grouped(refused)} of ${counted(stored, 'record')} no longer fit and are refused now, such as ${reasons[0]?.example}: ${reasons[0]?.message} They are served again as soon as the lexicons fit them; \`lexigraph rejections\` lists them.`,
        'warn',
      )
    if (accepted > 0)
      notify(config, `${name}: ${counted(accepted, 'record')} that had been refused fit now and are served.`)
  }
}

/** Milliseconds between notices of progress. */
const noticeInterval = 3_000

/** Reports the first step at once, and then one step per interval. */
export function createProgressNotice(config: Config): (progress: RebuildProgress) => void {
  let last: number | null = null
  return (progress) => {
    const now = performance.now()
    if (last !== null && now - last < noticeInterval) return
    last = now
    notify(config, `Rebuilding the index: ${rebuildSentence(progress)}`)
  }
}

export function lostSentence(lost: readonly LostCollection[], lexicons: string): string {
  const each = lost.map(({ name, records: stored, refusal }) =>
    refusal === null
      ? `${name} (${counted(stored, 'record')}) is not in them`
      : `${name} (${counted(stored, 'record')}) has no record that fits them, such as ${refusal.uri}: ${refusal.message.replace(/\.$/, '')}`,
  )
  return `under the lexicons in ${lexicons}, collections with records would disappear: ${each.join('; ')}. Nothing was changed. Name the lexicons of this database with --lexicons DIR, or go on with --rebuild; the records are kept then, and served again under lexicons that fit them. \`lexigraph check --database URL\` tells more.`
}

export function previewLines({ collections }: RebuildReport): readonly string[] {
  return collections.flatMap((collection) => {
    const { name, served, stored, refused, accepted, reasons } = collection
    if (!served)
      return [
        `${name}: ${counted(stored, 'record')} would no longer be served; the lexicons do not have this collection.`,
      ]
    const accepting =
      accepted === 0 ? '' : ` ${counted(accepted, 'record')} that had been refused would be accepted.`
    return [
      `${name}: ${refused === 0 ? 'none' : grouped(refused)} of ${counted(stored, 'record')} would be refused.${accepting}`,
      ...reasons.map(
        ({ message, records: many, example }) => `  ${grouped(many)} × ${message} Such as ${example}.`,
      ),
    ]
  })
}

export function isLossless({ collections }: RebuildReport): boolean {
  return collections.every(({ served, stored, refused }) => (served || stored === 0) && refused === 0)
}
