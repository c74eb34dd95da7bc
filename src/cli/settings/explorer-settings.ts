/** Settings of the web pages for people. */
import { serving, type Setting } from './setting.ts'

export const explorerSettings = {
  explorer: {
    type: 'choice',
    default: 'on',
    choices: ['on', 'off'],
    value: 'STATE',
    env: 'LEXIGRAPH_EXPLORER',
    help: 'Serve pages for people at /; without them / leads to the GraphQL playground.',
    commands: serving,
  },
  'explorer-title': {
    default: 'Lexigraph',
    value: 'TEXT',
    env: 'LEXIGRAPH_EXPLORER_TITLE',
    help: 'The name of the service on pages.',
    commands: serving,
  },
  'explorer-logo': {
    value: 'FILE',
    env: 'LEXIGRAPH_EXPLORER_LOGO',
    help: 'An image for the head of pages and for previews of links, served from this host: SVG, PNG, JPEG or WebP, at most 500 kB.',
    commands: serving,
  },
  'explorer-contact': {
    value: 'ADDRESS',
    env: 'LEXIGRAPH_EXPLORER_CONTACT',
    help: 'Where readers can reach the operator, at the foot of pages: a mail address or an https URL.',
    commands: serving,
  },
  'explorer-note': {
    value: 'TEXT',
    env: 'LEXIGRAPH_EXPLORER_NOTE',
    help: 'Terms and provenance of the data, at the foot of pages; @FILE reads the text from a file. Blank lines separate paragraphs, and https URLs become links.',
    commands: serving,
  },
  'explorer-address': {
    value: 'URL',
    env: 'LEXIGRAPH_EXPLORER_ADDRESS',
    help: 'The public address of the service, such as https://news.example, for search engines and previews of links: canonical links, sitemap.xml, Open Graph.',
    commands: serving,
  },
  'explorer-image-hosts': {
    value: 'HOST,…',
    env: 'LEXIGRAPH_EXPLORER_IMAGE_HOSTS',
    help: 'Hosts from which pages may show images that records name; *.example.org for all below one, * for every host; by default none. The hosts see the addresses of readers.',
    commands: serving,
  },
} as const satisfies Record<string, Setting>
