/** Settings of servers: addresses, callers, logs and the web pages for people. Most are those of `serve` and `demo`. */
import { serving, type Setting } from './setting.ts'

export const servingSettings = {
  host: {
    default: '127.0.0.1',
    value: 'ADDRESS',
    help: 'Address to listen on; 0.0.0.0 or :: for every one of the machine.',
  },
  port: {
    default: 4000,
    max: 65_535,
    value: 'NUMBER',
    help: 'Port to listen on; 0 takes a free one.',
  },
  mcp: {
    help: 'Serve agents too, at /mcp (Model Context Protocol). Behind a proxy on the same machine it takes --trusted-proxies: otherwise only names of this machine are answered.',
  },
  chatgpt: {
    help: 'Offer agents the tools search and fetch too, which ChatGPT needs to research and to cite; serve and demo take it with --mcp.',
    commands: [...serving, 'mcp'],
  },
  endpoint: {
    default: 'http://127.0.0.1:4000/api/graphql',
    value: 'URL',
    help: 'The GraphQL service that answers; it must have the lexicons that this program has.',
    commands: ['mcp'],
  },
  'api-key': {
    value: 'KEY',
    help: 'Sent to the service as X-API-Key; with --listen for those alone who send none of their own. Others on the machine see arguments: the environment variable is better.',
    commands: ['mcp'],
  },
  listen: {
    value: 'HOST:PORT',
    help: 'Answer over HTTP at /mcp there, instead of on standard input and output.',
    commands: ['mcp'],
  },
  workers: {
    min: 1,
    max: 64,
    value: 'NUMBER',
    help: 'Processes that answer at the one port; by default as many as there are cores.',
    commands: ['serve'],
  },
  tiers: {
    value: 'FILE',
    help: 'A JSON file with the limits of each tier of callers, where they differ from those in docs/limits.md.',
    commands: ['serve', 'demo', 'keys'],
  },
  'trusted-proxies': {
    value: 'ADDRESS,…',
    help: 'Addresses or networks (10.0.0.0/8) of proxies in front, whose X-Forwarded-For names the caller; by default nobody is believed.',
  },
  'max-connections': {
    default: 2_000,
    min: 1,
    max: 100_000,
    value: 'NUMBER',
    help: 'Open connections at most; one address may have a tenth of them, proxies that are trusted all.',
  },
  'answer-cache': {
    default: 32,
    max: 65_536,
    value: 'MEGABYTES',
    help: 'Memory in each worker for answers that are given again while nothing was written to a SQLite file; 0 for none.',
    commands: ['serve'],
  },
  'cache-seconds': {
    default: 0,
    max: 86_400,
    value: 'SECONDS',
    help: 'How long browsers and caches may keep an answer that was asked for with GET; 0: they ask whether it is still the same.',
  },
  'request-log': {
    default: 'all',
    choices: ['none', 'failures', 'all'],
    value: 'WHICH',
    help: "Which requests get a line of JSON on standard error; failures are those that are not the caller's.",
    commands: ['serve'],
  },
  'log-variables': {
    help: 'Log the variables of requests too; callers may have put anything there.',
    commands: ['serve'],
  },
  'slow-query': {
    default: 1_000,
    min: 1,
    max: 3_600_000,
    value: 'MILLISECONDS',
    help: 'An operation that takes longer is logged with its statement and plan.',
    commands: ['serve'],
  },
  'metrics-port': {
    max: 65_535,
    value: 'NUMBER',
    help: 'Serve /metrics for Prometheus at this port of --metrics-host, for all workers; by default nowhere.',
  },
  'metrics-host': {
    default: '127.0.0.1',
    value: 'ADDRESS',
    help: 'Address at which /metrics is served.',
  },
  explorer: {
    default: 'on',
    choices: ['on', 'off'],
    value: 'STATE',
    help: 'Serve pages for people at /; without them / leads to the GraphQL playground.',
  },
  'explorer-title': {
    default: 'Lexigraph',
    value: 'TEXT',
    help: 'The name of the service on pages.',
  },
  'explorer-logo': {
    value: 'FILE',
    help: 'An image for the head of pages and for previews of links, served from this host: SVG, PNG, JPEG or WebP, at most 500 kB.',
  },
  'explorer-contact': {
    value: 'ADDRESS',
    help: 'Where readers can reach the operator, at the foot of pages: a mail address or an https URL.',
  },
  'explorer-note': {
    value: 'TEXT',
    help: 'Terms and provenance of the data, at the foot of pages; @FILE reads the text from a file. Blank lines separate paragraphs, and https URLs become links.',
  },
  'explorer-address': {
    value: 'URL',
    help: 'The public address of the service, such as https://news.example, for search engines and previews of links: canonical links, sitemap.xml, Open Graph.',
  },
  'explorer-image-hosts': {
    value: 'HOST,…',
    help: 'Hosts from which pages may show images that records name; *.example.org for all below one, * for every host; by default none. The hosts see the addresses of readers.',
  },
} as const satisfies Record<string, Setting>
