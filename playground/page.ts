/**
 * The page that a browser gets at the endpoint: GraphiQL with our title and first query. The server's page names the
 * endpoint, the first query and the lexicons in attributes of the element that GraphiQL is shown in. An address with
 * `#query=…&variables=…` opens that query, which runs when the reader says so; servers do not see that part of it.
 */
import { createElement } from 'react'
import { createRoot } from 'react-dom/client'
import { GraphiQL } from 'graphiql'
import 'graphiql/style.css'
import './page.css'

// The editor's workers, by the names that it asks for; `build/playground.ts` makes a file of each.
const workers: Readonly<Record<string, string>> = { graphql: 'graphql-worker.js', json: 'json-worker.js' }
globalThis.MonacoEnvironment = {
  getWorker: (_moduleId, label) =>
    new Worker(new URL(workers[label] ?? 'editor-worker.js', import.meta.url), { type: 'module' }),
}

const element = document.querySelector<HTMLElement>('#playground')
if (element === null) throw new Error('The page has no place for the playground.')
const { endpoint = '', query = '', lexicons = '' } = element.dataset
const given = new URLSearchParams(location.hash.slice(1))
const givenQuery = given.get('query')
// Reloading must not replace what has been changed since.
if (givenQuery !== null) history.replaceState(null, '', location.pathname + location.search)

createRoot(element).render(
  createElement(
    GraphiQL,
    {
      fetcher: ask,
      defaultQuery: query,
      ...(givenQuery !== null && {
        initialQuery: givenQuery,
        initialVariables: given.get('variables') ?? '',
      }),
      storage: storageOf(lexicons),
      inputValueDeprecation: true,
      schemaDescription: true,
      // An API key is in a header: kept only when it is asked for, in the settings.
      shouldPersistHeaders: false,
      showPersistHeadersSettings: true,
    },
    createElement(GraphiQL.Logo, null, 'Lexigraph'),
  ),
)

async function ask(
  question: object,
  options: { readonly headers?: Readonly<Record<string, unknown>> } = {},
): Promise<object> {
  const headers = new Headers({ accept: 'application/graphql-response+json, application/json;q=0.9' })
  for (const [name, value] of Object.entries(options.headers ?? {})) headers.set(name, String(value))
  headers.set('content-type', 'application/json')
  const response = await fetch(endpoint, { method: 'POST', headers, body: JSON.stringify(question) })
  const text = await response.text()
  try {
    return JSON.parse(text)
  } catch {
    // Such as the page of a proxy.
    throw new Error(`The server answered with status ${response.status}:\n${text}`)
  }
}

/** What is kept in the browser is kept for each set of lexicons: queries over other lexicons would be wrong here. */
function storageOf(lexicons: string) {
  const prefix = `lexigraph:${lexicons}:`
  const names = (): string[] => Object.keys(localStorage).filter((name) => name.startsWith(prefix))
  return {
    get length() {
      return names().length
    },
    getItem: (name: string) => localStorage.getItem(prefix + name),
    setItem: (name: string, value: string) => localStorage.setItem(prefix + name, value),
    removeItem: (name: string) => localStorage.removeItem(prefix + name),
    clear: () => {
      for (const name of names()) localStorage.removeItem(name)
    },
  }
}
