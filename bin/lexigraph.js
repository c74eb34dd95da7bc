#!/usr/bin/env node
// Plain JavaScript that an old Node parses too, so that it can say what is needed instead of failing on syntax.
import { existsSync } from 'node:fs'
import module from 'node:module'
import { dirname } from 'node:path'

// Of older ones the SQLite prints numbers with fewer digits, so that averages would differ.
const required = '24.19'
if (isOlder(process.versions.node, required)) {
  console.error(
    'Lexigraph needs Node ' +
      required +
      ' or newer; this is ' +
      process.version +
      '. Install a newer Node, or in a checkout run it as `npm run lexigraph -- <command>` after `npm ci`, which installs one unless scripts are ignored.',
  )
  process.exit(1)
}

// Halves the time until a command begins; where it cannot be written, nothing is lost.
const cache = module.enableCompileCache().directory
// Processes that it starts find there what it has compiled. The folder's own folder is what is to be named.
if (cache !== undefined) process.env.NODE_COMPILE_CACHE ??= dirname(cache)

// A checkout runs its sources as they are; the installed package has them bundled in dist/.
const root = new URL('../', import.meta.url)
const source = new URL('src/cli/main.ts', root)
const entry = existsSync(source) ? source : new URL('dist/main.js', root)
import(entry.href).then((program) => program.main(root))

function isOlder(version, than) {
  const [major, minor] = version.split('.').map(Number)
  const [requiredMajor, requiredMinor] = than.split('.').map(Number)
  return major < requiredMajor || (major === requiredMajor && minor < requiredMinor)
}
