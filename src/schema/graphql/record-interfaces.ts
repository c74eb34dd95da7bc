/** The interfaces and system fields of all record types, and the query fields that find any record by id. */
import type { GraphQLOutputType } from 'graphql'
import { GraphQLID, GraphQLInterfaceType, GraphQLList, GraphQLString } from 'graphql/type'
import type { SystemField } from '../model/model.ts'
import { type FieldConfig, type Fields, listOf, nonNull } from './roles.ts'
import { DateTime, Json } from './scalars.ts'
import type { TypeRegistry } from './type-registry.ts'

export function defineRecordInterfaces(registry: TypeRegistry) {
  // Required by clients such as Relay: https://relay.dev/graphql/objectidentification.htm
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

export function systemFieldConfigs(): Fields {
  const field = (name: SystemField, type: GraphQLOutputType, description: string): FieldConfig => ({
    type,
    description,
    extensions: { role: { kind: 'system', name } },
  })
  const text = nonNull(GraphQLString)
  return {
    // The same text as `uri`, under the name that `Node` requires.
    id: field('uri', nonNull(GraphQLID), 'AT-URI of the record.'),
    uri: field('uri', text, 'AT-URI of the record.'),
    cid: field('cid', text, 'CID of this version of the record.'),
    rev: field(
      'rev',
      GraphQLString,
      'Latest revision of the repository that is known to have this version; null if it was imported without one.',
    ),
    did: field('did', text, 'Repository the record is in.'),
    actorHandle: field(
      'actorHandle',
      GraphQLString,
      'Handle that this repository goes by at present; null while none that holds is known.',
    ),
    rkey: field('rkey', text, 'Record key.'),
    collection: field('collection', text, 'NSID of the collection.'),
    indexedAt: field('indexedAt', nonNull(DateTime), 'When this index first stored the record.'),
    changedAt: field('changedAt', nonNull(DateTime), 'When this index last stored it anew.'),
    recordJson: field('recordJson', nonNull(Json), 'The whole record, unknown properties included.'),
  }
}

export function nodeFields(node: GraphQLInterfaceType): Fields {
  return {
    node: {
      type: node,
      args: { id: { type: nonNull(GraphQLID) } },
      description: 'The record with that id, which is its AT-URI; null when it is not indexed.',
      extensions: { role: { kind: 'node' } },
    },
    nodes: {
      type: nonNull(new GraphQLList(node)),
      args: {
        ids: {
          type: nonNull(listOf(GraphQLID)),
          description: 'At most as many as a page may have.',
        },
      },
      description: 'The records with those ids, position by position; null where one is not indexed.',
      extensions: { role: { kind: 'nodes' } },
    },
  }
}
