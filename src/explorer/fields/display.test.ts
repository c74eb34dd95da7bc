import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { modelOf } from '../../../test/support/service/agents.ts'
import { newsLexicons } from '../../../test/golden/corpora.ts'
import { recordDoc } from '../../../test/support/lexicons/documents.ts'
import { libraryLexicons, libraryReferences } from '../../../test/support/records/lexicons.ts'
import { groupingsOf } from '../chart-data/grouping.ts'
import { type Language, languages } from '../languages/language.ts'
import { fieldLabel, labelIn, subjectLabel } from './labels.ts'
import { plainValue } from '../parts/values.ts'
import { membersOf, readDisplay } from './read-display.ts'
import { createSubjects, memberLabel, type PageSubject } from './subject.ts'

const model = modelOf(newsLexicons.documents, newsLexicons.references, newsLexicons.stories)
const plain = createSubjects(model)
const [article, enrichment] = ['tech.service.news.article', 'tech.service.news.enrichment'] as const
const [english, spanish, arabic] = languages as readonly [Language, Language, Language]

function shown(file: unknown, nsid: string = article): PageSubject {
  const { display, problems } = readDisplay(file, plain.all)
  assert.deepEqual(problems, [])
  return createSubjects(model, display).of(nsid)!
}

test('what the file says replaces guesses, and the rest is guessed without the hidden fields', () => {
  const { roles } = shown({
    [article]: { title: 'description', image: null, facets: ['section'], hidden: ['wordCount'] },
  })
  const guessed = plain.of(article)!.roles
  assert.deepEqual([roles.title, roles.image, roles.facets], ['description', null, ['section']])
  assert.equal(roles.time, guessed.time)
  assert.ok(guessed.columns.includes('wordCount'))
  assert.ok(!roles.columns.includes('wordCount'))
})

test('a field with a name that groups reserve is hidden by that of its property', () => {
  const properties = Object.fromEntries(
    ['share', 'total', 'pages'].map((name) => [name, { type: 'integer' }]),
  )
  const model = modelOf([recordDoc('org.example.odd', properties)], {})
  const { display } = readDisplay({ 'org.example.odd': { hidden: ['share'] } }, createSubjects(model).all)
  const [odd] = createSubjects(model, display).all
  const hidden = [...(odd?.fields.values() ?? [])].filter(({ isHidden }) => isHidden)
  assert.deepEqual([odd?.ownFields.get('share')], hidden)
  assert.deepEqual(
    odd?.roles.columns.filter((name) => name !== 'indexedAt'),
    ['record_total', 'pages'],
  )
})

test('labels follow the language, then English, then the names in the lexicon', () => {
  const file = {
    [article]: { label: { en: 'Reports', es: 'Noticias' }, fields: { title: { label: { en: 'Headline' } } } },
  }
  const subject = shown(file)
  const [title, url] = ['title', 'canonicalUrl'].map((name) => subject.fields.get(name)!)
  const labels = [subjectLabel(subject, spanish), subjectLabel(subject, arabic)]
  assert.deepEqual(labels, ['Noticias', 'Reports'])
  assert.equal(fieldLabel(title!, spanish), 'Headline')
  assert.equal(fieldLabel(url!, spanish), 'Canonical url')
})

test('fields of other records, and members of objects, have the labels of both', () => {
  const file = {
    [article]: { fields: { source: { label: { es: 'Medio' } }, image: { label: { es: 'Imagen' } } } },
    'tech.service.news.source': { fields: { country: { label: { es: 'País' } } } },
    [enrichment]: { label: { es: 'Análisis' }, fields: { sentiment: { label: { es: 'Sentimiento' } } } },
  }
  const subject = shown(file)
  const label = (name: string) => fieldLabel(subject.fields.get(name)!, spanish)
  assert.equal(label('source_country'), 'Medio · País')
  assert.equal(label('techServiceNewsEnrichmentViaArticle.sentiment'), 'Análisis · Sentimiento')
  assert.equal(label('image_alt'), 'Imagen · Alt')
  assert.equal(memberLabel(subject, ['image', 'credit'], spanish), 'Credit')
  assert.equal(fieldLabel(subject.fields.get('source_country')!, english), 'Source country')
})

test('a scale has the bounds of the lexicon where it names none', () => {
  const scale = { low: { en: 'plain' }, high: { en: 'bait' } }
  const { display } = shown({ [enrichment]: { fields: { clickbaitScore: { scale } } } }, enrichment)
  assert.deepEqual(display.fields.get('clickbaitScore')?.scale, { min: 0, max: 10, ...scale })
})

test('values have labels by language, also behind references; listed values without any are written as words', () => {
  const values = { 'live-blog': { en: 'Live coverage', es: 'En directo' } }
  const file = {
    [article]: { fields: { articleType: { values }, section: { values: { top: { en: 'Top' } } } } },
  }
  const label = (name: string, value: string, nsid?: string) =>
    plainValue(shown(file, nsid).fields.get(name)!, value, spanish)
  assert.equal(label('articleType', 'live-blog'), 'En directo')
  assert.equal(label('article_articleType', 'live-blog', enrichment), 'En directo')
  assert.equal(label('articleType', 'press-release'), 'Press release')
  assert.equal(label('articleType', 'no-listed-value'), 'no-listed-value')
  assert.equal(label('section', 'top'), 'Top')
})

test('every mistake is reported, with the nearest name', () => {
  const file = {
    'tech.service.news.artcle': {},
    [article]: {
      count: { en: { one: 'one' }, fr: {} },
      titel: 'title',
      title: 'publishedAt',
      time: 'publishedat',
      facets: ['languge'],
      columns: 'title',
      hidden: ['guid', 7],
      label: { en: ' ', fr: 'Articles' },
      groups: [{ label: {}, fields: ['url'] }, { fields: ['url'] }],
      fields: {
        wordCuont: {},
        title: { scale: {} },
        wordCount: { scale: { min: 9, max: 3 }, values: {} },
        articleType: { values: { reprot: { en: 'Report' }, report: { fr: 'Article' } } },
      },
    },
  }
  const { problems } = readDisplay(file, plain.all)
  assert.deepEqual(
    problems.map(
      ({ path, problem, remedy }) => `${path.replace(article, '…')}: ${problem} ${remedy.slice(0, 32)}`,
    ),
    [
      'tech.service.news.artcle: There is no collection "tech.service.news.artcle". Did you mean "tech.service.news.',
      '….titel: "titel" has no meaning here. Did you mean "title"?',
      '….title: "publishedAt" is not a text of the record itself. Name one of: title, description,',
      `….time: ${article} has no field "publishedat". Did you mean "publishedAt"?`,
      '….facets: There is no field "languge" for this. Did you mean "language"?',
      '….columns: This is not a list of fields. Write a list such as ["title"].',
      '….label.en: This is not a text of 1 to 1000 characters. Write a text, or remove the memb',
      '….label.fr: Pages are not in the language "fr". They are in: en, es, ar.',
      '….count.en: This does not count records in a language of the pages. Write a text for each of: one, o',
      '….count.fr: This does not count records in a language of the pages. They are in: en, es, ar.',
      '….hidden: There is no field 7 for this. Name one of: title, description,',
      '….groups.1.fields: "url" is in two groups. Name it once.',
      `….fields.wordCuont: ${article} has no field "wordCuont". Did you mean "wordCount"?`,
      '….fields.title.scale: Only an integer of the record itself has a scale. Remove it.',
      '….fields.wordCount.scale: A scale has integers "min" and "max", and "min" is less. The lexicon gives those that are',
      '….fields.wordCount.values: Only texts of the record itself have labels of values. Remove it.',
      '….fields.articleType.values.reprot: The lexicon does not list "reprot". Did you mean "report"?',
      '….fields.articleType.values.report.fr: Pages are not in the language "fr". They are in: en, es, ar.',
    ],
  )
  for (const wrong of [null, [], 'x']) assert.equal(readDisplay(wrong, plain.all).problems.length, 1)
})

test('the file may name the facets that lists have, and no others', () => {
  for (const each of [model, modelOf(libraryLexicons, libraryReferences)]) {
    const { all } = createSubjects(each)
    for (const { collection, fields } of all)
      for (const [name, { isGroup, many }] of fields) {
        const { problems } = readDisplay({ [collection.nsid]: { facets: [name] } }, all)
        assert.equal(problems.length === 0, isGroup && !many, `${collection.nsid} ${name}`)
        const said = problems.map(({ problem }) => problem).join()
        assert.equal(said.startsWith(`"${name}" is inside an array of objects`), many, said)
      }
  }
  assert.ok([...plain.of(article)!.fields.values()].some(({ isGroup, many }) => isGroup && many))
})

test('the file of the package names every field and listed value, in every language', () => {
  const file = JSON.parse(readFileSync(new URL('../../../lexicons/display.json', import.meta.url), 'utf8'))
  const { display, problems } = readDisplay(file, plain.all)
  assert.deepEqual(problems, [])
  for (const subject of createSubjects(model, display).all) {
    const { collection, display: own, roles } = subject
    const texts = [
      own.label,
      own.singular,
      own.count,
      own.description,
      ...own.groups.map(({ label }) => label),
    ]
    const members = [...membersOf(collection)]
    const scales = [...own.fields.values()].flatMap(({ scale }) =>
      scale === null ? [] : [scale.low, scale.high],
    )
    const given = members.map(([name]) => own.fields.get(name)?.label ?? {})
    const listed = members.flatMap(([name, { field }]) =>
      field.constraints.values.map((value) => own.fields.get(name)?.values.get(value) ?? {}),
    )
    for (const language of languages)
      for (const labels of [...texts, ...scales, ...given, ...listed])
        assert.notEqual(labels[language.tag], undefined, `${collection.nsid}: ${JSON.stringify(labels)}`)
    for (const name of [...roles.facets, ...roles.columns])
      assert.ok(Object.keys(subject.fields.get(name)!.labels).length >= languages.length, name)
    assert.equal(labelIn(own.label, arabic), own.label['ar'])
    // What charts of articles offer is named in words, also where it is of another record.
    const offered = groupingsOf(subject).map(({ field }) => Object.values(field.labels).join())
    if (collection.nsid === article)
      assert.deepEqual(
        offered.filter((labels) => labels.includes(' · ')),
        [],
      )
  }
})
