/** Renders help from the tables of commands and settings. */
import { type CommandName, commands } from './command-list.ts'
import type { Setting } from './settings/setting.ts'
import { settingsOf, variableOf } from './settings/settings.ts'

export function renderProgramHelp(): string {
  const usages = Object.entries(commands).map(([name, [operands]]) => `${name} ${operands}`)
  const width = Math.max(...usages.map(({ length }) => length))
  const lines = Object.values(commands).map(([, summary], at) => `  ${usages[at]?.padEnd(width)}  ${summary}`)
  return `Lexigraph serves AT Protocol records as a read-only GraphQL service, derived from their lexicons.

Usage: lexigraph COMMAND [OPTIONS]

Commands:
${lines.join('\n')}

\`lexigraph COMMAND --help\` lists the options of a command; \`lexigraph --version\` prints the version.
`
}

export function renderCommandHelp(command: CommandName): string {
  const [operands, summary] = commands[command]
  const options = settingsOf(command).map(([name, setting]) => ({
    usage: name === 'help' ? '-h, --help' : usageOf(name, { ...setting, ...setting.helpOf?.[command] }),
    help: [
      setting.helpOf?.[command]?.help ?? setting.help,
      ...choicesNote(setting),
      ...(setting.default === undefined ? [] : [`[default: ${setting.default}]`]),
      ...[variableOf(name, setting)].flatMap((variable) => (variable === null ? [] : [`[env: ${variable}]`])),
    ].join(' '),
  }))
  const width = Math.max(...options.map((option) => option.usage.length))
  const lines = options.map(({ usage, help }) => `  ${usage.padEnd(width)}  ${help}`)
  return `${summary}

Usage: lexigraph ${command}${operands === '' ? '' : ` ${operands}`} [OPTIONS]

Options:
${lines.join('\n')}
`
}

/** Such as `--port NUMBER`. */
export function usageOf(name: string, { value }: Setting): string {
  return value === undefined ? `--${name}` : `--${name} ${value}`
}

export function choicesNote({ choices }: Setting): string[] {
  return choices === undefined ? [] : [`One of ${choices.join(', ')}.`]
}
