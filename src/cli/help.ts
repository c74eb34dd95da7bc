/** Renders help and the settings page from the table of settings. */
import { type CommandName, commands } from './command-list.ts'
import type { Setting } from './settings/setting.ts'
import { settings, settingsOf } from './settings/settings.ts'

export function renderProgramHelp(): string {
  const width = Math.max(...Object.entries(commands).map(([name, it]) => `${name} ${it.operands}`.length))
  const lines = Object.entries(commands).map(
    ([name, it]) => `  ${`${name} ${it.operands}`.padEnd(width)}  ${it.summary}`,
  )
  return `Lexigraph serves AT Protocol records as a read-only GraphQL service, derived from their lexicons.

Usage: lexigraph COMMAND [OPTIONS]

Commands:
${lines.join('\n')}

\`lexigraph COMMAND --help\` lists the options of a command; \`lexigraph --version\` prints the version.
`
}

export function renderCommandHelp(command: CommandName): string {
  const { operands, summary } = commands[command]
  const options = settingsOf(command).map(([name, setting]) => ({
    usage: name === 'help' ? '-h, --help' : usageOf(name, { ...setting, ...setting.helpOf?.[command] }),
    help: [
      setting.helpOf?.[command]?.help ?? setting.help,
      ...choicesNote(setting),
      ...(setting.default === undefined ? [] : [`[default: ${setting.default}]`]),
      ...(setting.env === undefined ? [] : [`[env: ${setting.env}]`]),
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

/** docs/settings.md */
export function renderSettingsPage(): string {
  const rows = Object.entries(settings as Record<string, Setting>).map(([name, setting]) => {
    const option = `\`${usageOf(name, setting)}\``
    const variable = setting.env === undefined ? '–' : `\`${setting.env}\``
    const fallback = setting.default === undefined ? '–' : `\`${setting.default}\``
    const all = setting.commands.length === Object.keys(commands).length
    const where = all ? 'all' : setting.commands.join(', ')
    const elsewhere = Object.entries(setting.helpOf ?? {}).map(
      ([command, { help }]) => `For ${command}: ${help}`,
    )
    const meaning = [setting.help, ...elsewhere, ...choicesNote(setting)].join(' ')
    const cells = [option, variable, fallback, where, meaning]
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  })
  return `# Settings

Each setting is an option of the commands that use it, and most are an environment variable too.
An option wins over the environment; an empty variable counts as not set.
This page is made from \`src/cli/settings/settings.ts\` by \`npm run docs\`.

| option | environment | default | commands | meaning |
|---|---|---|---|---|
${rows.join('\n')}
`
}

function usageOf(name: string, { value }: Setting): string {
  return value === undefined ? `--${name}` : `--${name} ${value}`
}

function choicesNote({ choices }: Setting): string[] {
  return choices === undefined ? [] : [`One of ${choices.join(', ')}.`]
}

if (import.meta.main) process.stdout.write(renderSettingsPage())
