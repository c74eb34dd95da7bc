/** All generated types by name, so that two that would share a name are refused with both origins. */
import type { GraphQLNamedType } from 'graphql'

/** `origin` says what a type is for: a lexicon, a definition, or what is asked of one. */
export interface TypeRegistry {
  /** Registers a new type; fails when its name is taken. */
  define<Type extends GraphQLNamedType>(type: Type, origin: string): Type
  /** The type of that name, made on first use; fails when the name is taken by another origin. */
  once<Type extends GraphQLNamedType>(name: string, origin: string, create: () => Type): Type
}

export function createTypeRegistry(): TypeRegistry {
  const types = new Map<string, { readonly type: GraphQLNamedType; readonly origin: string }>()
  const refuse = (name: string, first: string, second: string): never => {
    throw new Error(
      `The GraphQL type name ${name} is needed twice: for ${first} and for ${second}. Rename one of the lexicons or definitions.`,
    )
  }
  return {
    define(type, origin) {
      const known = types.get(type.name)
      if (known !== undefined) refuse(type.name, known.origin, origin)
      types.set(type.name, { type, origin })
      return type
    },
    once<Type extends GraphQLNamedType>(name: string, origin: string, create: () => Type): Type {
      const known = types.get(name)
      if (known === undefined) {
        const type = create()
        types.set(name, { type, origin })
        return type
      }
      if (known.origin !== origin) refuse(name, known.origin, origin)
      return known.type as Type
    },
  }
}
