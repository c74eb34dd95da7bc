/** What is selected of records for a file in which nobody has chosen fields. */
import { getNullableType, type GraphQLObjectType, isObjectType, isScalarType } from 'graphql/type'

const strongRef = 'ComAtprotoRepoStrongRef'

/** Paths to scalar fields and to the URIs of references, such as `source` and `uri`; `id` and `recordJson` would say the same again. */
export function usualPaths(type: GraphQLObjectType): readonly (readonly string[])[] {
  return Object.values(type.getFields()).flatMap(({ name, args, extensions, type: own }) => {
    if (args.length > 0 || extensions.role?.kind === 'reverse' || ['id', 'recordJson'].includes(name))
      return []
    const bare = getNullableType(own)
    if (isScalarType(bare)) return bare.name === 'JSON' ? [] : [[name]]
    return isObjectType(bare) && bare.name === strongRef ? [[name, 'uri']] : []
  })
}
