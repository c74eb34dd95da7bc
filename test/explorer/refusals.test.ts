/** Pages that are refused say in the reader's language what to change, and lead on. */
import assert from 'node:assert/strict'
import { after, test as plain } from 'node:test'
import { parseHTML } from 'linkedom'
import { closeCorpora, corpusNamed, newsLexicons } from '../golden/corpora.ts'
import { toText } from '../../src/explorer/html.ts'
import { chooseLanguage } from '../../src/explorer/languages/language.ts'
import { failurePage } from '../../src/explorer/pages/failure.ts'
import { modelOf } from '../support/service/agents.ts'
import { onEveryDatabase as test } from '../support/store/databases.ts'
import { explorerOver } from '../support/service/explorer.ts'

const model = modelOf(newsLexicons.documents, newsLexicons.references)
const article = '/c/tech.service.news.article'
after(closeCorpora)

test('a search that cannot be carried out can be changed, or left out', async (database) => {
  const explorer = explorerOver((await corpusNamed('demo', database)).service, model)
  for (const [address, search, without] of [
    [`${article}?language=en&q=-a&lang=ar`, '-a', `${article}?language=en&lang=ar`],
    ['/search?q=%22&lang=es', '"', '/search?lang=es'],
    [`${article}?q=%3F&lang=en`, '?', `${article}?lang=en`],
  ] as const) {
    const { status, body } = await explorer.get(address)
    assert.equal(status, 400)
    const problem = parseHTML(body).document.querySelector('.problem')
    assert.ok(problem !== null, body)
    // Nothing of the message for developers.
    assert.doesNotMatch(problem.textContent ?? '', /[`]|RELEVANCE/)
    const inputs = [...problem.querySelectorAll('form input')].map((input) => [
      input.getAttribute('name'),
      input.getAttribute('value'),
    ])
    assert.deepEqual(
      inputs.find(([name]) => name === 'q'),
      ['q', search],
    )
    assert.equal(
      inputs.some(([name]) => name === 'language'),
      address.includes('language='),
    )
    const links = [...problem.querySelectorAll('a')].map((link) => link.getAttribute('href'))
    assert.deepEqual(links, [without])
  }
})

plain('a page that costs too much leads to the page without filters', () => {
  const request = {
    parts: ['c', 'tech.service.news.article'],
    parameters: [['language', 'en']] as const,
    language: chooseLanguage('es', undefined),
    address: `${article}?language=en`,
    origin: 'http://test.example',
  }
  const fault = { code: 'QUERY_TOO_COMPLEX', message: 'Select fewer lists within lists.', retryAfter: null }
  const content = toText(failurePage(fault, request).content)
  assert.match(content, /Esta página costaría demasiado/)
  assert.doesNotMatch(content, /within lists/)
  assert.ok(
    content.includes(`<a href="${article}?lang=es" rel="nofollow">${request.language.text.clear}</a>`),
  )
})

plain('a value that the service refuses is explained in the language of the page, with the reason', () => {
  for (const tag of ['en', 'es', 'ar']) {
    const language = chooseLanguage(tag, undefined)
    const request = {
      parts: ['c', 'tech.service.news.article'],
      parameters: [['title.matches', '-a']] as const,
      language,
      address: `${article}?title.matches=-a`,
      origin: 'http://test.example',
    }
    const fault = { code: 'BAD_USER_INPUT', message: 'Write at least one word.', retryAfter: null }
    const content = toText(failurePage(fault, request).content)
    assert.ok(content.includes(language.text.wrongInput), content)
    assert.match(content, /<p lang="en" dir="ltr" class="none">Write at least one word\.<\/p>/)
    assert.ok(content.includes(`<a href="${article}?lang=${tag}" rel="nofollow">${language.text.clear}</a>`))
  }
})

test('a cursor that is not one leads to the first page', async (database) => {
  const explorer = explorerOver((await corpusNamed('demo', database)).service, model)
  const { status, body } = await explorer.get(`${article}?language=en&after=abc`)
  assert.equal(status, 400)
  assert.match(body, /<title>This page cannot be shown/)
  assert.ok(body.includes(`<a href="${article}?language=en" rel="nofollow">First page</a>`), body)
})

test('a file of a chart that does not exist is refused with the title of charts', async (database) => {
  const explorer = explorerOver((await corpusNamed('demo', database)).service, model)
  for (const file of ['chart.csv', 'chart.svg']) {
    const { status, body } = await explorer.get(`${article}/${file}?part=groups&by=colour`)
    assert.equal(status, 400)
    assert.match(body, /<title>Charts: Article ·/)
  }
})
