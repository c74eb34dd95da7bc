/** The arguments of the tool `aggregate`, as its input schema declares them. */
import type { Narrowing } from '../../filters/filters.ts'
import type { Json } from '../tool.ts'
import type { TopArgument } from './columns.ts'

export interface AggregateArguments extends Narrowing {
  readonly collection: string
  readonly by?: readonly string[]
  readonly measures?: readonly string[]
  readonly share?: Json
  readonly unusual?: Json
  readonly top?: TopArgument
  readonly samples?: number
  readonly time_zone?: string
  readonly fill?: boolean
  readonly change?: boolean
  readonly order?: string
  readonly min_count?: number
  readonly limit?: number
  readonly after?: string
  readonly cite?: boolean
}
