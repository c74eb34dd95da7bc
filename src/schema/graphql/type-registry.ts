/** Holds all generated types by name, so that a duplicate name is rejected with both origins. */
import type { GraphQLNamedType } from 'graphql'
import { GraphQLEnumType, GraphQLObjectType } from 'graphql/type'
import type { Collection } from '../model/model.ts'
import type { FieldConfig, Fields } from './roles.ts'

/** A class of types, such as `GraphQLObjectType`. */
type Kind = new (config: never) => GraphQLNamedType
type ConfigOf<Class extends Kind> = ConstructorParameters<Class>[0]

/** `origin` is what a type is generated for: a lexicon, a definition, or a use such as conditions on a definition. */
export class TypeRegistry {
  readonly #types = new Map<string, { readonly type: GraphQLNamedType; readonly origin: string }>()

  /** Creates a type; throws if the name is taken. */
  define<Class extends Kind>(kind: Class, origin: string, config: ConfigOf<Class>): InstanceType<Class> {
    const type = new kind(config) as InstanceType<Class>
    const known = this.#types.get(type.name)
    if (known !== undefined) throw takenTwice(type.name, known.origin, origin)
    this.#types.set(type.name, { type, origin })
    return type
  }

  /** Creates object types of one origin. */
  objects(origin: string) {
    return (name: string, description: string | null, fields: Fields): GraphQLObjectType =>
      this.define(GraphQLObjectType, origin, { name, description, fields })
  }

  /** The type of that name, created on first use; throws if another origin has taken the name. */
  once<Class extends Kind>(
    kind: Class,
    name: string,
    origin: string,
    config: () => Omit<ConfigOf<Class>, 'name'>,
  ): InstanceType<Class> {
    const known = this.#types.get(name)
    if (known === undefined) return this.define(kind, origin, { name, ...config() } as never)
    if (known.origin !== origin) throw takenTwice(name, known.origin, origin)
    return known.type as InstanceType<Class>
  }

  /** The same for a use of a collection, such as its groups: `suffix` ends the name. */
  of<Class extends Kind>(
    kind: Class,
    { typeName, nsid }: Collection,
    suffix: string,
    use: string,
    config: () => Omit<ConfigOf<Class>, 'name'>,
  ): InstanceType<Class> {
    return this.once(kind, `${typeName}${suffix}`, `${use} of ${nsid}`, config)
  }

  /** An enum that names fields for a use of a collection. */
  fieldsOf(
    collection: Collection,
    suffix: string,
    use: string,
    fields: () => readonly { readonly name: string }[],
  ): GraphQLEnumType {
    return this.of(GraphQLEnumType, collection, suffix, use, () => ({ values: enumValues(fields()) }))
  }
}

function takenTwice(name: string, first: string, second: string): Error {
  return new Error(
    `The GraphQL type name ${name} is needed twice: for ${first} and for ${second}. Rename one of the lexicons or definitions.`,
  )
}

/** The values of an enum that names fields; each stands for the field itself. */
export function enumValues(fields: readonly { readonly name: string }[]) {
  return Object.fromEntries(fields.map((field) => [field.name, { value: field }]))
}

/** Two collections may need one root field: the aggregate of `a.b.c` and the list of `a.b.cAggregate`. */
export function uniqueFields(groups: readonly Fields[]): Fields {
  const origins = new Map<string, string>()
  for (const [name, { extensions }] of groups.flatMap((fields) => Object.entries<FieldConfig>(fields))) {
    const role = extensions?.role
    const origin = role !== undefined && 'collection' in role ? role.collection.nsid : name
    const other = origins.get(name)
    if (other !== undefined)
      throw new Error(
        `The root field ${name} is needed twice: for ${other} and for ${origin}. Rename one of the lexicons.`,
      )
    origins.set(name, origin)
  }
  return Object.assign({}, ...groups) as Fields
}
