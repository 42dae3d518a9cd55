import * as sdk from '@aws-sdk/client-s3'
import { NormalizedSchema } from '@smithy/core/schema'

/** What a request of an operation can say, as AWS' SDK describes it. */
export interface Member {
  kind: 'header' | 'query' | 'element' | 'contents'
  /** Of a header in lower case; of an element its path, whose last part starts with `@` if it is an attribute. */
  name: string
}

/** The paths of an element's leaves. */
function leavesOf(schema: NormalizedSchema, path: string): string[] {
  if (schema.isListSchema()) {
    const item = schema.getValueSchema()
    const name = item.getMergedTraits().xmlName ?? 'member'
    return leavesOf(item, schema.getMergedTraits().xmlFlattened ? path : `${path}/${name}`)
  }
  if (!schema.isStructSchema()) return [path]
  return [...schema.structIterator()].flatMap(([member, of]) => {
    const { xmlName = member, xmlAttribute } = of.getMergedTraits()
    return leavesOf(of, `${path}/${xmlAttribute ? '@' : ''}${xmlName}`)
  })
}

/** All that a request of an operation can say beside its bucket and key; undefined for one that the SDK does not have. */
export function membersOf(operation: string): Member[] | undefined {
  const found = (sdk as { [name: string]: unknown })[`${operation}$`]
  if (!Array.isArray(found)) return undefined
  return [...NormalizedSchema.of(found[4]()).structIterator()].flatMap(([member, schema]): Member[] => {
    const { httpHeader, httpPrefixHeaders, httpQuery, httpLabel, httpPayload, xmlName } = schema.getMergedTraits()
    if (httpLabel) return []
    if (httpHeader) return [{ kind: 'header', name: httpHeader.toLowerCase() }]
    if (httpPrefixHeaders) return [{ kind: 'header', name: `${httpPrefixHeaders}*` }]
    if (httpQuery) return [{ kind: 'query', name: httpQuery }]
    if (httpPayload && schema.isStructSchema())
      return leavesOf(schema, xmlName ?? member).map((name) => ({ kind: 'element', name }))
    return [{ kind: 'contents', name: member }]
  })
}
