/**
 * The only definition of all settings: parsing, `--help`, docs/settings.md and the type of the configuration follow
 * from these tables.
 */
import type { CommandName } from '../command-list.ts'
import { servingSettings } from './serving-settings.ts'
import { every, type Setting } from './setting.ts'
import { sourceSettings } from './source-settings.ts'
import { storeSettings } from './store-settings.ts'
import { taskSettings } from './task-settings.ts'

export const settings = {
  ...storeSettings,
  ...sourceSettings,
  ...servingSettings,
  ...taskSettings,
  'log-level': {
    type: 'choice',
    default: 'info',
    choices: ['silent', 'error', 'warn', 'info', 'debug'],
    value: 'LEVEL',
    env: 'LEXIGRAPH_LOG_LEVEL',
    help: 'How much is said on standard error; debug adds the causes of failures.',
    commands: every,
  },
  json: {
    type: 'flag',
    default: false,
    help: 'Print the result as JSON, for scripts.',
    commands: [
      'import',
      'check',
      'explain',
      'backfill',
      'reconcile',
      'status',
      'rejections',
      'copy',
      'backup',
      'restore',
      'keys',
      'hidden',
    ],
  },
  help: { type: 'flag', default: false, help: 'Print this help.', commands: every },
} as const satisfies Record<string, Setting>

export type SettingName = keyof typeof settings

type ValueOf<S extends Setting> =
  | (S['type'] extends 'integer'
      ? number
      : S['type'] extends 'flag'
        ? boolean
        : S['type'] extends 'choice'
          ? ChoiceOf<S>
          : string)
  | (S['default'] extends null ? null : never)
type ChoiceOf<S extends Setting> = S extends { readonly choices: readonly (infer C)[] } ? C : never

/** Values of all settings; a command gets its own, and the defaults of the rest. */
export type Config = { readonly [K in SettingName]: ValueOf<(typeof settings)[K]> }

/** The settings of one command, in the order of the table. */
export function settingsOf(command: CommandName): [SettingName, Setting][] {
  return (Object.entries(settings) as [SettingName, Setting][]).filter(([, setting]) =>
    setting.commands.includes(command),
  )
}
