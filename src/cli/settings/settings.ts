/** Defines all settings: parsing, `--help`, docs/settings.md and the type of the configuration follow from this. */
import type { CommandName } from '../command-list.ts'
import { servingSettings } from './serving-settings.ts'
import { every, everyExcept, logLevels, serving, type Setting } from './setting.ts'
import { storeSettings } from './store-settings.ts'
import { taskSettings } from './task-settings.ts'

export const settings = {
  ...storeSettings,
  ...servingSettings,
  ...taskSettings,
  'log-level': {
    default: 'info',
    choices: logLevels,
    value: 'LEVEL',
    help: 'How much is said on standard error; debug adds the causes of failures.',
    commands: every,
  },
  json: {
    env: null,
    help: 'Print the result as JSON, for scripts.',
    commands: everyExcept('serve', 'ingest', 'purge', 'export', 'schema', 'query', 'demo', 'mcp'),
  },
  help: { env: null, help: 'Print this help.', commands: every },
} as const satisfies Record<string, Setting>

export type SettingName = keyof typeof settings

type ValueOf<S extends Setting> = S extends { value: string }
  ? TypedValue<S> | (S extends { default: string | number } ? never : null)
  : boolean
type TypedValue<S extends Setting> = S extends { max: number }
  ? number
  : S extends { choices: readonly (infer Choice)[] }
    ? Choice
    : string

/** Values of all settings; a command gets its own, and the defaults of the rest. */
export type Config = { readonly [K in SettingName]: ValueOf<(typeof settings)[K]> }

export function defaultOf(setting: Setting): string | number | boolean | null {
  return setting.value === undefined ? false : (setting.default ?? null)
}

/** The environment variable of a setting, such as LEXIGRAPH_MAX_CLOCK_SKEW; null where one would be surprising. */
export function variableOf(name: string, { env }: Setting): string | null {
  if (env !== undefined) return env
  return Object.hasOwn(taskSettings, name) ? null : `LEXIGRAPH_${name.toUpperCase().replaceAll('-', '_')}`
}

export function settingsOf(command: CommandName): [SettingName, Setting][] {
  return (Object.entries(settings) as [SettingName, Setting][]).filter(([, { commands = serving }]) =>
    commands.includes(command),
  )
}
