/** The interfaces and system fields of all record types, and the query fields that find any record by id. */
import type { GraphQLFieldConfig, GraphQLFieldConfigMap } from 'graphql'
import { GraphQLID, GraphQLInterfaceType, GraphQLList, GraphQLNonNull, GraphQLString } from 'graphql/type'
import { nonNull, reads } from './roles.ts'
import { DateTime, Json } from './scalars.ts'
import type { TypeRegistry } from './type-registry.ts'

type FieldConfig = GraphQLFieldConfig<unknown, unknown>

export interface RecordInterfaces {
  /** Required by clients such as Relay: https://relay.dev/graphql/objectidentification.htm */
  readonly node: GraphQLInterfaceType
  readonly record: GraphQLInterfaceType
}

export function defineRecordInterfaces(registry: TypeRegistry): RecordInterfaces {
  const node = registry.define(GraphQLInterfaceType, 'every collection', {
    name: 'Node',
    description: 'Anything that `node` finds by its id; all records are.',
    fields: { id: { type: nonNull(GraphQLID), description: 'AT-URI of the record.' } },
  })
  const record = registry.define(GraphQLInterfaceType, 'every collection', {
    name: 'Record',
    description: 'A record of any collection that is served.',
    interfaces: [node],
    fields: systemFieldConfigs,
  })
  return { node, record }
}

/** Fields that precede the lexicon's fields on every record. */
export function systemFieldConfigs(): GraphQLFieldConfigMap<unknown, unknown> {
  const text = (name: 'uri' | 'cid' | 'did' | 'rkey' | 'collection', description: string) =>
    reads({ type: nonNull(GraphQLString), description }, { kind: 'system', name })
  const moment = (name: 'indexedAt' | 'changedAt', description: string) =>
    reads({ type: nonNull(DateTime), description }, { kind: 'system', name })
  return {
    // The same text as `uri`, under the name that `Node` requires.
    id: reads(
      { type: nonNull(GraphQLID), description: 'AT-URI of the record.' },
      { kind: 'system', name: 'uri' },
    ),
    uri: text('uri', 'AT-URI of the record.'),
    cid: text('cid', 'CID of this version of the record.'),
    did: text('did', 'Repository the record is in.'),
    actorHandle: reads(
      {
        type: GraphQLString,
        description: 'Handle that this repository goes by at present; null while none that holds is known.',
      },
      { kind: 'system', name: 'actorHandle' },
    ),
    rkey: text('rkey', 'Record key.'),
    collection: text('collection', 'NSID of the collection.'),
    indexedAt: moment('indexedAt', 'When this index first stored the record.'),
    changedAt: moment('changedAt', 'When this index last stored it anew.'),
    recordJson: reads(
      { type: nonNull(Json), description: 'The whole record, unknown properties included.' },
      { kind: 'system', name: 'recordJson' },
    ),
  }
}

/** Root fields that find records by id. */
export function nodeFields(node: GraphQLInterfaceType): [string, FieldConfig][] {
  return [
    [
      'node',
      reads(
        {
          type: node,
          args: { id: { type: new GraphQLNonNull(GraphQLID) } },
          description: 'The record with that id, which is its AT-URI; null when it is not indexed.',
        },
        { kind: 'node' },
      ),
    ],
    [
      'nodes',
      reads(
        {
          type: nonNull(new GraphQLList(node)),
          args: {
            ids: {
              type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(GraphQLID))),
              description: 'At most as many as a page may have.',
            },
          },
          description: 'The records with those ids, position by position; null where one is not indexed.',
        },
        { kind: 'nodes' },
      ),
    ],
  ]
}
