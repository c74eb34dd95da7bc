import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldNameOf, rootFieldOf, typeNameOf, viaFieldOf } from './naming.ts'

test('a type is named by the parts of its NSID, and by its definition', () => {
  assert.equal(typeNameOf('tech.service.news.article'), 'TechServiceNewsArticle')
  assert.equal(typeNameOf('a.b.c#def'), 'ABCDef')
  assert.equal(typeNameOf('a.b.c#main'), 'ABC')
  assert.equal(typeNameOf('example.with-dash.dashed#about-me'), 'ExampleWithDashDashedAboutMe')
  assert.equal(typeNameOf('app.bsky.feed.post#replyRef'), 'AppBskyFeedPostReplyRef')
})

test('a root field is its type with a small first letter', () => {
  assert.equal(rootFieldOf('tech.service.news.article'), 'techServiceNewsArticle')
  assert.equal(rootFieldOf('xyz.Upper'), 'xyzUpper')
})

test('a property that is no GraphQL name becomes the nearest one', () => {
  assert.equal(fieldNameOf('title'), 'title')
  assert.equal(fieldNameOf('with-dash'), 'with_dash')
  assert.equal(fieldNameOf('größe'), 'gr__e')
  assert.equal(fieldNameOf('2fast'), '_2fast')
  assert.equal(fieldNameOf('__private'), '_private')
  assert.equal(fieldNameOf('___private'), '_private')
  for (const none of ['', '_', '__', '-', 'é']) assert.equal(fieldNameOf(none), 'field_')
  assert.equal(fieldNameOf('constructor'), 'constructor')
  // Values of enums cannot have these names.
  for (const name of ['true', 'false', 'null']) assert.equal(fieldNameOf(name), `${name}_`)
})

test('a reverse field is named by the collection that refers and the path of the reference', () => {
  assert.equal(viaFieldOf('techServiceNewsArticle', ['source']), 'techServiceNewsArticleViaSource')
  assert.equal(viaFieldOf('appBskyFeedPost', ['reply', 'root']), 'appBskyFeedPostViaReplyRoot')
  assert.equal(viaFieldOf('a', ['some-thing']), 'aViaSome_thing')
})
