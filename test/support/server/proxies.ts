/** Programs that stand in front of a service, run with the product's own files in deploy/. */
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { freePort } from '../free-port.ts'

const configuration = fileURLToPath(new URL('../../../deploy/nginx.conf', import.meta.url))

/** Why a test is skipped; undefined where the program runs. */
export function missing(program: string, ...args: readonly string[]): string | undefined {
  try {
    execFileSync(program, args.length === 0 ? ['--version'] : args, { stdio: 'ignore' })
    return undefined
  } catch {
    return `${[program, ...args].join(' ')} does not work here.`
  }
}

/** Why tests of nginx are skipped; undefined where it runs. */
export const noNginx = missing('nginx', '-v') ?? missing('openssl', 'version')

export interface Nginx extends AsyncDisposable {
  /** The port of HTTPS, and that which leads to it. */
  readonly tls: number
  readonly plain: number
}

/**
 * In front of the service at that URL, for `localhost`, with a certificate of its own. It waits so many seconds for what
 * callers do not send.
 */
export async function startNginx(
  upstream: string,
  inFolder: (name: string) => string,
  seconds: number,
): Promise<Nginx> {
  const [tls, plain] = [await freePort(), await freePort()]
  const [key, certificate] = [inFolder('key.pem'), inFolder('certificate.pem')]
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1']
  const files = ['-keyout', key, '-out', certificate, '-days', '2']
  run('openssl', ['req', '-x509', '-nodes', ...curve, ...files, ...subject])
  const site = inFolder('site.conf')
  writeFileSync(
    site,
    replaced(readFileSync(configuration, 'utf8'), {
      'server 127.0.0.1:4000;': `server ${new URL(upstream).host};`,
      'listen 80;': `listen 127.0.0.1:${plain};`,
      'listen 443 ssl http2;': `listen 127.0.0.1:${tls} ssl http2;`,
      '/etc/letsencrypt/live/graphql.example.org/fullchain.pem': certificate,
      '/etc/letsencrypt/live/graphql.example.org/privkey.pem': key,
    }),
  )
  const main = inFolder('nginx.conf')
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  writeFileSync(
    main,
    `${process.getuid?.() === 0 ? 'user root;' : ''} daemon off; pid ${inFolder('nginx.pid')}; error_log stderr;
    events { }
    http { access_log off; client_header_timeout ${seconds}s; client_body_timeout ${seconds}s; ${temporary.map((name) => `${name}_temp_path ${inFolder(name)};`).join(' ')} include ${site}; }`,
  )
  run('nginx', ['-t', '-c', main])
  return { tls, plain, ...startProxy('nginx', ['-c', main]) }
}

/** Killed when it goes out of scope. */
export function startProxy(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): AsyncDisposable {
  const child = spawn(program, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'ignore'],
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const kill = (): unknown => child.kill('SIGTERM')
  process.once('exit', kill)
  return {
    async [Symbol.asyncDispose]() {
      process.off('exit', kill)
      kill()
      await ended
    },
  }
}

export function run(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): void {
  try {
    execFileSync(program, args, { stdio: 'pipe', env: { ...process.env, ...env } })
  } catch (error) {
    assert.fail(`${program} ${args.join(' ')}: ${String((error as { stderr?: unknown }).stderr)}`)
  }
}

function replaced(text: string, replacements: Readonly<Record<string, string>>): string {
  let result = text
  for (const [from, to] of Object.entries(replacements)) {
    assert.ok(result.includes(from), `${from} is not there.`)
    result = result.replaceAll(from, to)
  }
  return result
}
