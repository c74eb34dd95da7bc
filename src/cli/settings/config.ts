/** Parses arguments and environment into a typed configuration and all their problems, one sentence each. */
import { parseArgs } from 'node:util'
import { nearest } from '../../util/text/nearest.ts'
import type { CommandContext } from '../command.ts'
import type { CommandName } from '../command-list.ts'
import type { Setting } from './setting.ts'
import { type Config, defaultOf, settings, settingsOf, variableOf } from './settings.ts'

export interface ParsedConfig extends Omit<CommandContext, 'root'> {
  readonly problems: readonly string[]
}

interface OptionToken {
  readonly rawName: string
  readonly value: string | undefined
  readonly inlineValue: boolean | undefined
}

/** Options override the environment; an empty environment variable counts as not set. */
export function parseConfig(
  command: CommandName,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): ParsedConfig {
  const known = settingsOf(command)
  const problems: string[] = []
  const given = new Set<string>()
  const values: Record<string, unknown> = Object.fromEntries(
    Object.entries(settings).map(([name, setting]) => [name, defaultOf(setting)]),
  )
  for (const [name, setting] of known) {
    const variable = variableOf(name, setting) ?? ''
    const text = env[variable]
    if (text === undefined || text === '') continue
    values[name] = parseValue(setting, text, variable, problems)
    given.add(name)
  }

  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(
      known.map(([name, { value }]) => [
        name,
        { type: value === undefined ? 'boolean' : 'string', ...(name === 'help' && { short: 'h' }) },
      ]),
    ),
    allowPositionals: true,
    strict: false,
    tokens: true,
  })
  const operands: string[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') operands.push(token.value)
    if (token.kind !== 'option') continue
    const setting = known.find(([name]) => name === token.name)?.[1]
    if (setting === undefined) problems.push(unknownOption(command, token.rawName))
    else {
      values[token.name] = optionValue(setting, token, problems)
      given.add(token.name)
    }
  }
  return { config: values as Config, operands, problems, given }
}

function optionValue(setting: Setting, option: OptionToken, problems: string[]): unknown {
  const { rawName, value } = option
  if (setting.value === undefined) {
    if (value !== undefined) problems.push(`${rawName} takes no value; write ${rawName} alone.`)
    return true
  }
  // The parser takes the next argument in any case; another option there means that the value was forgotten.
  if (value === undefined || value === '' || (option.inlineValue === false && value.startsWith('--'))) {
    problems.push(`${rawName} needs a value: ${rawName} ${setting.value}.`)
    return defaultOf(setting)
  }
  return parseValue(setting, value, rawName, problems)
}

function parseValue(setting: Setting, text: string, where: string, problems: string[]): unknown {
  const { value: placeholder, min = 0, max, choices } = setting
  if (placeholder === undefined) return text === 'true' || text === '1'
  let range = `one of ${choices?.join(', ')}`
  if (max !== undefined) {
    const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
    if (value >= min && value <= max) return value
    range = `a whole number from ${min} to ${max}`
  } else if (choices === undefined || choices.includes(text)) return text
  problems.push(`${where} must be ${range}, not ${JSON.stringify(text)}.`)
  return defaultOf(setting)
}

function unknownOption(command: CommandName, rawName: string): string {
  const name = rawName.replace(/^-+/, '')
  const options = settingsOf(command).map(([option]) => option)
  const elsewhere = Object.hasOwn(settings, name)
  const guess = elsewhere ? null : nearest(name, options)
  const hint =
    guess === null ? `\`lexigraph ${command} --help\` lists its options.` : `did you mean --${guess}?`
  const problem = elsewhere ? `${command} takes no ${rawName}` : `${command} knows no option ${rawName}`
  return `${problem}; ${hint}`
}
