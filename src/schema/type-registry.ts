/** All generated types by name, so that two that would share a name are refused with both origins. */
import type { GraphQLNamedType } from 'graphql'

export interface TypeRegistry {
  /** Registers a new type; fails when its name is taken. */
  define<Type extends GraphQLNamedType>(type: Type, origin: string): Type
  /** The type of that name and class of things, made on first use. */
  once<Type extends GraphQLNamedType>(name: string, create: () => Type): Type
}

export function createTypeRegistry(): TypeRegistry {
  const defined = new Map<string, { type: GraphQLNamedType; origin: string }>()
  const generated = new Map<string, GraphQLNamedType>()
  return {
    define(type, origin) {
      const known = defined.get(type.name)
      if (known !== undefined || generated.has(type.name))
        throw new Error(
          `The GraphQL type name ${type.name} is needed twice: for ${known?.origin ?? 'an input or helper type'} and for ${origin}. Rename one of the lexicons or definitions.`,
        )
      defined.set(type.name, { type, origin })
      return type
    },
    once<Type extends GraphQLNamedType>(name: string, create: () => Type): Type {
      const known = generated.get(name)
      if (known !== undefined) return known as Type
      const taken = defined.get(name)
      if (taken !== undefined)
        throw new Error(
          `The GraphQL type name ${name} is needed twice: for ${taken.origin} and for a generated input or helper type. Rename the lexicon or definition.`,
        )
      const type = create()
      generated.set(name, type)
      return type
    },
  }
}
