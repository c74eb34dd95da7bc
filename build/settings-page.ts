/** Writes docs/settings.md from the table of settings. Usage: node build/settings-page.ts > docs/settings.md. */
import { choicesNote, usageOf } from '../src/cli/help.ts'
import { every, serving, type Setting } from '../src/cli/settings/setting.ts'
import { settings, variableOf } from '../src/cli/settings/settings.ts'

export function renderSettingsPage(): string {
  const rows = Object.entries(settings as Record<string, Setting>).map(([name, setting]) => {
    const option = `\`${usageOf(name, setting)}\``
    const env = variableOf(name, setting)
    const variable = env === null ? '–' : `\`${env}\``
    const fallback = setting.default === undefined ? '–' : `\`${setting.default}\``
    const { commands: own = serving } = setting
    const others = every.filter((command) => !own.includes(command))
    const allBut = others.length === 0 ? 'all' : `all but ${others.join(', ')}`
    const where = others.length < own.length ? allBut : own.join(', ')
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

if (import.meta.main) process.stdout.write(renderSettingsPage())
