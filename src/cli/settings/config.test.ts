import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parseConfig } from './config.ts'
import { renderSettingsPage } from '../../../build/settings-page.ts'
import { renderCommandHelp } from '../help.ts'

test('options win over the environment, and the environment over defaults', () => {
  const env = { LEXIGRAPH_PORT: '5000', LEXIGRAPH_HOST: '0.0.0.0', LEXIGRAPH_LOG_LEVEL: '' }
  const { config, problems } = parseConfig('serve', ['--port', '6000'], env)
  assert.deepEqual(problems, [])
  assert.deepEqual([config.port, config.host, config['log-level']], [6000, '0.0.0.0', 'info'])
})

test('values may follow an equals sign, and operands may stand anywhere', () => {
  const { config, operands, problems } = parseConfig(
    'import',
    ['a.jsonl', '--database=x.db', '-', '--json'],
    {},
  )
  assert.deepEqual(problems, [])
  assert.deepEqual([config.database, config.json, operands], ['x.db', true, ['a.jsonl', '-']])
})

test('numbers may be as large as they may be, and a value behind an equals sign may look like an option', () => {
  const { config, problems } = parseConfig('serve', ['--port', '65535', '--database=--x'], {})
  assert.deepEqual([problems, config.port, config.database], [[], 65_535, '--x'])
})

test('after -- everything is an operand', () => {
  assert.deepEqual(parseConfig('import', ['--', '--json'], {}).operands, ['--json'])
})

test('every problem is reported, each in a sentence', () => {
  const env = { LEXIGRAPH_LOG_LEVEL: 'loud' }
  const args = ['--prt', '80', '--port', '70000', '--max-connections=0', '--json', '--host']
  assert.deepEqual(parseConfig('serve', args, env).problems, [
    'LEXIGRAPH_LOG_LEVEL must be one of silent, error, warn, info, debug, not "loud".',
    'serve knows no option --prt; did you mean --port?',
    '--port must be a whole number from 0 to 65535, not "70000".',
    '--max-connections must be a whole number from 1 to 100000, not "0".',
    'serve takes no --json; `lexigraph serve --help` lists its options.',
    '--host needs a value: --host ADDRESS.',
  ])
})

test('a forgotten value does not swallow the next option', () => {
  const { problems } = parseConfig('import', ['--database', '--json', 'x.jsonl'], {})
  assert.deepEqual(problems, ['--database needs a value: --database URL.'])
})

test('a flag takes no value', () => {
  assert.deepEqual(parseConfig('import', ['--json=yes'], {}).problems, [
    '--json takes no value; write --json alone.',
  ])
})

test('settings of other commands are not read from the environment', () => {
  assert.deepEqual(parseConfig('schema', [], { LEXIGRAPH_PORT: 'tcp://10.0.0.1:4000' }).problems, [])
})

test("a command's help has its options, their defaults and their variables, and no others", () => {
  const help = renderCommandHelp('import')
  assert.match(help, /--database URL .*\[default: \.\/lexigraph\.db\] \[env: LEXIGRAPH_DATABASE\]/)
  assert.doesNotMatch(help, /--port/)
})

test('docs/settings.md is what the table of settings says', () => {
  const page = readFileSync(new URL('../../../docs/settings.md', import.meta.url), 'utf8')
  assert.equal(page, renderSettingsPage(), 'run `npm run docs`')
})
