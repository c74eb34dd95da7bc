/** Records of the network's own collections, written by hand: three people, one thread, everything around it. */
import type { Json } from '../../reference/shapes.ts'
import type { PlainRecord } from '../../reference/dataset.ts'
import { buildRecord, otherCid, refTo } from './records.ts'

const alice = 'did:plc:networkalice222222222222'
const bob = 'did:plc:networkbob22222222222222'
const carol = 'did:web:carol.example.com'
const picture = { $link: 'bafkreiccldh766hwcnuxnf2wh6jgzepf2nlu2lvcllt63eww5p6chi4ity' }

/** Times go up, so that the order of writing is the order of indexing. */
export async function networkRecords(): Promise<readonly PlainRecord[]> {
  const records: PlainRecord[] = []
  const moment = () => `2026-11-16T13:${String(records.length).padStart(2, '0')}:00.000Z`
  const add = async (did: string, collection: string, rkey: string, value: Json): Promise<PlainRecord> => {
    const record = await buildRecord(collection, { did, rkey, indexedAt: moment(), value })
    records.push(record)
    return record
  }
  const dated = (did: string, collection: string, rkey: string, value: Json) =>
    add(did, collection, rkey, { ...value, createdAt: moment() })
  const post = (did: string, rkey: string, value: Json) => dated(did, 'app.bsky.feed.post', rkey, value)

  const root = await post(alice, '3mz5s6rqsp222', rootPost)
  const reply = await post(bob, '3mz5s6rqsp223', {
    text: 'And to you!',
    langs: ['en'],
    reply: { root: refTo(root), parent: refTo(root) },
  })
  await post(carol, '3mz5s6rqsp224', {
    text: 'A reply to a reply',
    reply: { root: refTo(root), parent: refTo(reply) },
  })
  for (const [at, [name, embed]] of Object.entries(embedsOf(root)).entries())
    await post(alice, `3mz5s6rqsp23${at + 2}`, { text: `Embed: ${name}`, embed })

  const feed = await dated(alice, 'app.bsky.feed.generator', 'clouds', {
    did: 'did:web:feeds.example.com',
    displayName: 'Clouds',
    description: 'Nothing but clouds.',
    labels: { $type: 'com.atproto.label.defs#selfLabels', values: [{ val: 'safe' }] },
  })
  const like = (did: string, rkey: string, subject: Json) =>
    dated(did, 'app.bsky.feed.like', rkey, { subject })
  await like(bob, '3mz5s6rqsp22a', refTo(root))
  await like(carol, '3mz5s6rqsp22b', { uri: root.uri, cid: otherCid })
  await like(carol, '3mz5s6rqsp22c', refTo(reply))
  await like(bob, '3mz5s6rqsp22d', refTo(feed))
  await dated(bob, 'app.bsky.feed.repost', '3mz5s6rqsp22e', { subject: refTo(root) })
  await dated(bob, 'app.bsky.graph.follow', '3mz5s6rqsp22f', { subject: alice })
  await dated(carol, 'app.bsky.graph.block', '3mz5s6rqsp22g', { subject: bob })
  const list = await dated(alice, 'app.bsky.graph.list', '3mz5s6rqsp22k', {
    name: 'Weather people',
    purpose: 'app.bsky.graph.defs#curatelist',
  })
  for (const [rkey, subject] of [
    ['3mz5s6rqsp22l', carol],
    ['3mz5s6rqsp22m', bob],
  ] as const)
    await dated(alice, 'app.bsky.graph.listitem', rkey, { subject, list: list.uri })
  await dated(carol, 'app.bsky.graph.listblock', '3mz5s6rqsp22h', { subject: list.uri })
  await dated(alice, 'app.bsky.graph.starterpack', '3mz5s6rqsp22i', {
    name: 'Look up',
    list: list.uri,
    feeds: [{ uri: feed.uri }],
  })
  await dated(alice, 'app.bsky.graph.verification', '3mz5s6rqsp22j', {
    subject: bob,
    handle: 'bob.example.com',
    displayName: 'Bob',
  })
  await dated(alice, 'app.bsky.feed.threadgate', root.rkey, {
    post: root.uri,
    allow: [
      { $type: 'app.bsky.feed.threadgate#mentionRule' },
      { $type: 'app.bsky.feed.threadgate#listRule', list: list.uri },
    ],
    hiddenReplies: [`at://${bob}/app.bsky.feed.post/3mz5s6rqsp22z`],
  })
  await dated(alice, 'app.bsky.feed.postgate', root.rkey, {
    post: root.uri,
    detachedEmbeddingUris: [],
    embeddingRules: [{ $type: 'app.bsky.feed.postgate#disableRule' }],
  })
  await add(alice, 'app.bsky.actor.profile', 'self', {
    displayName: 'Alice',
    description: 'Looks at clouds.',
    avatar: { $type: 'blob', ref: picture, mimeType: 'image/png', size: 1000 },
    pinnedPost: refTo(root),
  })
  await dated(alice, 'app.bsky.actor.status', 'self', { status: 'app.bsky.actor.status#live' })
  await dated(carol, 'app.bsky.labeler.service', 'self', labeler)
  await add(alice, 'chat.bsky.actor.declaration', 'self', { allowIncoming: 'following' })
  await add(bob, 'app.bsky.notification.declaration', 'self', { allowSubscriptions: 'mutuals' })
  return records
}

const rootPost = {
  text: 'Good morning, Zürich ☀️',
  langs: ['de', 'en'],
  tags: ['morning'],
  labels: { $type: 'com.atproto.label.defs#selfLabels', values: [{ val: 'graphic-media' }] },
  facets: [
    {
      index: { byteStart: 0, byteEnd: 4 },
      features: [
        { $type: 'app.bsky.richtext.facet#mention', did: bob },
        { $type: 'app.bsky.richtext.facet#tag', tag: 'zürich' },
      ],
    },
    {
      index: { byteStart: 14, byteEnd: 21 },
      features: [
        { $type: 'app.bsky.richtext.facet#link', uri: 'https://example.com' },
        { $type: 'com.example.facet#bold' },
      ],
    },
  ],
}

function embedsOf(root: PlainRecord): Readonly<Record<string, Json>> {
  const jpeg = { $type: 'blob', ref: picture, mimeType: 'image/jpeg', size: 54321 }
  const images = (...list: Json[]) => ({ $type: 'app.bsky.embed.images', images: list })
  return {
    images: images(
      { alt: 'A bridge', image: jpeg, aspectRatio: { width: 3, height: 2 } },
      // The form that blobs had at first.
      { alt: '', image: { cid: picture.$link, mimeType: 'image/png' } },
    ),
    external: {
      $type: 'app.bsky.embed.external',
      external: { uri: 'https://example.com/a?b=c', title: 'A page', description: '', thumb: jpeg },
    },
    record: { $type: 'app.bsky.embed.record', record: refTo(root) },
    'record with media': {
      $type: 'app.bsky.embed.recordWithMedia',
      record: { $type: 'app.bsky.embed.record', record: refTo(root) },
      media: images({ alt: 'Both', image: jpeg }),
    },
    video: {
      $type: 'app.bsky.embed.video',
      video: { $type: 'blob', ref: picture, mimeType: 'video/mp4', size: 1_000_000 },
      alt: 'Waves',
      captions: [{ lang: 'pt-BR', file: { $type: 'blob', ref: picture, mimeType: 'text/vtt', size: 100 } }],
    },
    unforeseen: { $type: 'com.example.embed.poll', options: ['yes', 'no'] },
  }
}

const labeler = {
  policies: {
    labelValues: ['spam', 'cloudy'],
    labelValueDefinitions: [
      {
        identifier: 'cloudy',
        severity: 'inform',
        blurs: 'none',
        locales: [{ lang: 'en', name: 'Cloudy', description: 'There are clouds.' }],
      },
    ],
  },
  reasonTypes: ['com.atproto.moderation.defs#reasonSpam'],
}
