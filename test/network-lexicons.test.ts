/** Records as the network has them: its own lexicons, hand-written records, the real reader and writer. */
import assert from 'node:assert/strict'
import { schemas } from '@atproto/api'
import type { Json } from './reference/shapes.ts'
import { onEveryDatabase as test } from './support/store/databases.ts'
import { networkRecords } from './support/records/network-records.ts'
import { sharedService } from './support/service/service.ts'

/** What the lexicons leave unsaid; with more than one target there are reverse fields, but no nested filters. */
const references = {
  'app.bsky.feed.like#subject': ['app.bsky.feed.post', 'app.bsky.feed.generator'],
  'app.bsky.feed.repost#subject': ['app.bsky.feed.post'],
  'app.bsky.feed.post#reply.root': ['app.bsky.feed.post'],
  'app.bsky.feed.post#reply.parent': ['app.bsky.feed.post'],
  'app.bsky.feed.threadgate#post': ['app.bsky.feed.post'],
  'app.bsky.graph.listitem#list': ['app.bsky.graph.list'],
  'app.bsky.graph.starterpack#list': ['app.bsky.graph.list'],
}

const openNetwork = sharedService(async () => ({
  lexicons: schemas as readonly Json[],
  references,
  records: await networkRecords(),
}))

test('records of every collection are stored and counted', async (database) => {
  const service = await openNetwork(database)
  const counts = await service.data(`{
    post: appBskyFeedPostAggregate { count } like: appBskyFeedLikeAggregate { count }
    repost: appBskyFeedRepostAggregate { count } follow: appBskyGraphFollowAggregate { count }
    block: appBskyGraphBlockAggregate { count } list: appBskyGraphListAggregate { count }
    listitem: appBskyGraphListitemAggregate { count } profile: appBskyActorProfileAggregate { count }
    threadgate: appBskyFeedThreadgateAggregate { count } postgate: appBskyFeedPostgateAggregate { count }
    generator: appBskyFeedGeneratorAggregate { count } starterpack: appBskyGraphStarterpackAggregate { count }
    labeler: appBskyLabelerServiceAggregate { count } chat: chatBskyActorDeclarationAggregate { count }
    status: appBskyActorStatusAggregate { count } verification: appBskyGraphVerificationAggregate { count }
    listblock: appBskyGraphListblockAggregate { count }
    notification: appBskyNotificationDeclarationAggregate { count } }`)
  const { post, like, listitem, ...others } = counts
  assert.deepEqual([post.count, like.count, listitem.count], [9, 4, 2])
  assert.equal(Object.keys(others).length, 15)
  for (const [name, { count }] of Object.entries<Json>(others)) assert.equal(count, 1, name)
})

test('the likes of a post are its reverse field, and those of a feed are not among them', async (database) => {
  const service = await openNetwork(database)
  const { post, feed } = await service.data(`{
    post: appBskyFeedPost(where: {rkey: {eq: "3mz5s6rqsp222"}}) { nodes { text
      likes: appBskyFeedLikeViaSubject(sortBy: [{field: createdAt}]) { totalCount nodes { did subject { isCurrent } } }
      reposts: appBskyFeedRepostViaSubject { totalCount } } }
    feed: appBskyFeedGenerator { nodes { displayName appBskyFeedLikeViaSubject { totalCount } } } }`)
  assert.deepEqual(post.nodes, [
    {
      text: 'Good morning, Zürich ☀️',
      likes: {
        totalCount: 2,
        nodes: [
          { did: 'did:plc:networkbob22222222222222', subject: { isCurrent: true } },
          { did: 'did:web:carol.example.com', subject: { isCurrent: false } },
        ],
      },
      reposts: { totalCount: 1 },
    },
  ])
  assert.deepEqual(feed.nodes, [{ displayName: 'Clouds', appBskyFeedLikeViaSubject: { totalCount: 1 } }])
})

test('replies are found by parent and by root, and filtered by what they reply to', async (database) => {
  const service = await openNetwork(database)
  const { thread, filtered, orphans } = await service.data(`{
    thread: appBskyFeedPost(where: {rkey: {eq: "3mz5s6rqsp222"}}) { nodes {
      all: appBskyFeedPostViaReplyRoot { totalCount }
      direct: appBskyFeedPostViaReplyParent { nodes { text
        appBskyFeedPostViaReplyParent { nodes { text reply { parentResolved { ... on AppBskyFeedPost { text } } rootResolved { ... on AppBskyFeedPost { text } } } } } } } } }
    filtered: appBskyFeedPost(where: {reply: {parent: {text: {contains: "zurich"}}}}) { nodes { text } }
    orphans: appBskyFeedPost(where: {reply: {parent: {isIndexed: false}}}) { totalCount } }`)
  assert.deepEqual(thread.nodes, [
    {
      all: { totalCount: 2 },
      direct: {
        nodes: [
          {
            text: 'And to you!',
            appBskyFeedPostViaReplyParent: {
              nodes: [
                {
                  text: 'A reply to a reply',
                  reply: {
                    parentResolved: { text: 'And to you!' },
                    rootResolved: { text: 'Good morning, Zürich ☀️' },
                  },
                },
              ],
            },
          },
        ],
      },
    },
  ])
  assert.deepEqual(filtered.nodes, [{ text: 'And to you!' }])
  assert.equal(orphans.totalCount, 0)
})

test('embeds of five kinds are told apart by fragments, with their blobs', async (database) => {
  const service = await openNetwork(database)
  const { list } = await service.data(`{
    list: appBskyFeedPost(where: {text: {startsWith: "Embed"}}, sortBy: [{field: rkey}]) { nodes { text embed { __typename
      ... on AppBskyEmbedImages { images { alt image { ref mimeType size } aspectRatio { width height } } }
      ... on AppBskyEmbedExternal { external { uri title thumb { mimeType } } }
      ... on AppBskyEmbedRecord { record { uri isCurrent uriResolved { __typename ... on AppBskyFeedPost { text } } } }
      ... on AppBskyEmbedRecordWithMedia { record { record { uriResolved { ... on AppBskyFeedPost { text } } } }
        media { __typename ... on AppBskyEmbedImages { images { alt } } } }
      ... on AppBskyEmbedVideo { video { mimeType } alt captions { lang file { mimeType } } }
      ... on UnknownObject { type value } } } } }`)
  const embeds = Object.fromEntries(list.nodes.map(({ text, embed }: Json) => [text, embed]))
  assert.deepEqual(embeds['Embed: images'], {
    __typename: 'AppBskyEmbedImages',
    images: [
      {
        alt: 'A bridge',
        image: {
          ref: 'bafkreiccldh766hwcnuxnf2wh6jgzepf2nlu2lvcllt63eww5p6chi4ity',
          mimeType: 'image/jpeg',
          size: 54321,
        },
        aspectRatio: { width: 3, height: 2 },
      },
      {
        alt: '',
        image: {
          ref: 'bafkreiccldh766hwcnuxnf2wh6jgzepf2nlu2lvcllt63eww5p6chi4ity',
          mimeType: 'image/png',
          size: null,
        },
        aspectRatio: null,
      },
    ],
  })
  assert.deepEqual(embeds['Embed: external'], {
    __typename: 'AppBskyEmbedExternal',
    external: {
      uri: 'https://example.com/a?b=c',
      title: 'A page',
      thumb: { mimeType: 'image/jpeg' },
    },
  })
  assert.deepEqual(embeds['Embed: record'], {
    __typename: 'AppBskyEmbedRecord',
    record: {
      uri: 'at://did:plc:networkalice222222222222/app.bsky.feed.post/3mz5s6rqsp222',
      isCurrent: true,
      uriResolved: { __typename: 'AppBskyFeedPost', text: 'Good morning, Zürich ☀️' },
    },
  })
  assert.deepEqual(embeds['Embed: record with media'], {
    __typename: 'AppBskyEmbedRecordWithMedia',
    record: { record: { uriResolved: { text: 'Good morning, Zürich ☀️' } } },
    media: { __typename: 'AppBskyEmbedImages', images: [{ alt: 'Both' }] },
  })
  assert.deepEqual(embeds['Embed: video'], {
    __typename: 'AppBskyEmbedVideo',
    video: { mimeType: 'video/mp4' },
    alt: 'Waves',
    captions: [{ lang: 'pt-BR', file: { mimeType: 'text/vtt' } }],
  })
  assert.deepEqual(embeds['Embed: unforeseen'], {
    __typename: 'UnknownObject',
    type: 'com.example.embed.poll',
    value: { $type: 'com.example.embed.poll', options: ['yes', 'no'] },
  })
})

test('facets, languages, tags and self-labels read and filter as arrays', async (database) => {
  const service = await openNetwork(database)
  const { post, labelled, german, tagged } = await service.data(`{
    post: appBskyFeedPost(where: {langs: {hasAll: ["de", "en"]}}) { nodes { langs tags
      facets { index { byteStart byteEnd } features { __typename
        ... on AppBskyRichtextFacetMention { did } ... on AppBskyRichtextFacetLink { uri } ... on AppBskyRichtextFacetTag { tag } } }
      labels { ... on ComAtprotoLabelDefsSelfLabels { values { val } } } } }
    labelled: appBskyFeedPost(where: {facets: {some: {index: {byteStart: {gte: 13}}}}}) { totalCount }
    german: appBskyFeedPostAggregate(groupBy: [langs], orderBy: KEY_ASC) { groups { langs count } }
    tagged: appBskyFeedPost(where: {tags: {has: "morning"}}) { totalCount } }`)
  assert.deepEqual(post.nodes, [
    {
      langs: ['de', 'en'],
      tags: ['morning'],
      facets: [
        {
          index: { byteStart: 0, byteEnd: 4 },
          features: [
            { __typename: 'AppBskyRichtextFacetMention', did: 'did:plc:networkbob22222222222222' },
            { __typename: 'AppBskyRichtextFacetTag', tag: 'zürich' },
          ],
        },
        {
          index: { byteStart: 14, byteEnd: 21 },
          features: [
            { __typename: 'AppBskyRichtextFacetLink', uri: 'https://example.com' },
            { __typename: 'UnknownObject' },
          ],
        },
      ],
      labels: { values: [{ val: 'graphic-media' }] },
    },
  ])
  assert.deepEqual([labelled.totalCount, tagged.totalCount], [1, 1])
  assert.deepEqual(german.groups, [
    { langs: null, count: 7 },
    { langs: 'de', count: 1 },
    { langs: 'en', count: 2 },
  ])
})

test('lists, their items and starter packs join by AT-URI', async (database) => {
  const service = await openNetwork(database)
  const { list, pack, items } = await service.data(`{
    list: appBskyGraphList { nodes { name purpose
      appBskyGraphListitemViaList(sortBy: [{field: subject}]) { totalCount nodes { subject } }
      appBskyGraphStarterpackViaList { nodes { name } } } }
    pack: appBskyGraphStarterpack { nodes { listResolved { ... on AppBskyGraphList { name } } feeds { uri uriResolved { ... on AppBskyFeedGenerator { displayName } } } } }
    items: appBskyGraphListitem(where: {list: {name: {startsWith: "WEATHER"}}}) { totalCount } }`)
  assert.deepEqual(list.nodes, [
    {
      name: 'Weather people',
      purpose: 'app.bsky.graph.defs#curatelist',
      appBskyGraphListitemViaList: {
        totalCount: 2,
        nodes: [{ subject: 'did:plc:networkbob22222222222222' }, { subject: 'did:web:carol.example.com' }],
      },
      appBskyGraphStarterpackViaList: { nodes: [{ name: 'Look up' }] },
    },
  ])
  assert.deepEqual(pack.nodes, [
    {
      listResolved: { name: 'Weather people' },
      feeds: [
        {
          uri: 'at://did:plc:networkalice222222222222/app.bsky.feed.generator/clouds',
          uriResolved: { displayName: 'Clouds' },
        },
      ],
    },
  ])
  assert.equal(items.totalCount, 2)
})

test('gates, profiles, labelers and declarations answer with what they hold', async (database) => {
  const service = await openNetwork(database)
  const answer = await service.data(`{
    threadgate: appBskyFeedThreadgate { nodes { postResolved { ... on AppBskyFeedPost { text } } hiddenReplies
      allow { __typename ... on AppBskyFeedThreadgateListRule { list } ... on AppBskyFeedThreadgateMentionRule { _empty } } } }
    postgate: appBskyFeedPostgate { nodes { post detachedEmbeddingUris embeddingRules { __typename } } }
    profile: appBskyActorProfile { nodes { displayName description avatar { ref } pinnedPostResolved { ... on AppBskyFeedPost { text } } } }
    generator: appBskyFeedGenerator { nodes { did record_did } }
    labeler: appBskyLabelerService { nodes { reasonTypes policies { labelValues labelValueDefinitions { identifier severity locales { lang name } } } } }
    chat: chatBskyActorDeclaration { nodes { rkey allowIncoming } } }`)
  assert.deepEqual(answer, {
    threadgate: {
      nodes: [
        {
          postResolved: { text: 'Good morning, Zürich ☀️' },
          hiddenReplies: ['at://did:plc:networkbob22222222222222/app.bsky.feed.post/3mz5s6rqsp22z'],
          allow: [
            { __typename: 'AppBskyFeedThreadgateMentionRule', _empty: null },
            {
              __typename: 'AppBskyFeedThreadgateListRule',
              list: 'at://did:plc:networkalice222222222222/app.bsky.graph.list/3mz5s6rqsp22k',
            },
          ],
        },
      ],
    },
    postgate: {
      nodes: [
        {
          post: 'at://did:plc:networkalice222222222222/app.bsky.feed.post/3mz5s6rqsp222',
          detachedEmbeddingUris: [],
          embeddingRules: [{ __typename: 'AppBskyFeedPostgateDisableRule' }],
        },
      ],
    },
    profile: {
      nodes: [
        {
          displayName: 'Alice',
          description: 'Looks at clouds.',
          avatar: { ref: 'bafkreiccldh766hwcnuxnf2wh6jgzepf2nlu2lvcllt63eww5p6chi4ity' },
          pinnedPostResolved: { text: 'Good morning, Zürich ☀️' },
        },
      ],
    },
    generator: {
      nodes: [{ did: 'did:plc:networkalice222222222222', record_did: 'did:web:feeds.example.com' }],
    },
    labeler: {
      nodes: [
        {
          reasonTypes: ['com.atproto.moderation.defs#reasonSpam'],
          policies: {
            labelValues: ['spam', 'cloudy'],
            labelValueDefinitions: [
              {
                identifier: 'cloudy',
                severity: 'inform',
                locales: [{ lang: 'en', name: 'Cloudy' }],
              },
            ],
          },
        },
      ],
    },
    chat: { nodes: [{ rkey: 'self', allowIncoming: 'following' }] },
  })
})

test('what the lexicons refuse does not get in', async (database) => {
  const service = await openNetwork(database)
  const post = { $type: 'app.bsky.feed.post', createdAt: '2026-11-16T13:00:00Z' }
  const line = (value: Json) => ({
    uri: 'at://did:plc:networkalice222222222222/app.bsky.feed.post/3mz5s6rqsp22y',
    value,
  })
  await assert.rejects(service.store([line(post)]), /was refused.*text/)
  await assert.rejects(service.store([line({ ...post, text: 'x'.repeat(3001) })]), /was refused.*text/)
  const four = { ...post, text: '', langs: ['de', 'en', 'fr', 'pt'] }
  await assert.rejects(service.store([line(four)]), /was refused.*langs/)
})
