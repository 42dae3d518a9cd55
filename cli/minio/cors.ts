import type { Read } from './bucket-entry.ts'
import { childrenOf, numberIn, textIn, type XmlNode } from './xml.ts'

const METHODS = ['GET', 'PUT', 'POST', 'DELETE', 'HEAD']
const WILDCARD = /^(?=.{1,1024}$)[^*\s]*\*?[^*\s]*$/
const FIELD_NAME = /^(?=.{1,256}$)[!#$%&'+.^_`|~\w-]+$/
const MOST = 100

/** Translates which scripts of other origins may ask what of a bucket. */
export function corsOf(root: XmlNode): Read {
  const notes: string[] = []
  const rules = childrenOf(root, 'CORSRule').flatMap((rule, i) => {
    const [origins, headers, expose, methods] = [
      ...['AllowedOrigin', 'AllowedHeader', 'ExposeHeader', 'AllowedMethod'].map((name) => textsIn(rule, name)),
    ] as [string[], string[], string[], string[]]
    const age = numberIn(rule, 'MaxAgeSeconds')
    const isRight =
      [origins, methods].every(({ length }) => length > 0) &&
      [origins, headers, expose].every(({ length }) => length <= MOST) &&
      methods.every((one) => METHODS.includes(one)) &&
      [...origins, ...headers].every((one) => WILDCARD.test(one)) &&
      expose.every((one) => FIELD_NAME.test(one)) &&
      (age === undefined || age <= 999_999_999)
    if (!isRight || i >= MOST) {
      notes.push(`CORS rule ${i + 1} cannot be said here.`)
      return []
    }
    const id = textIn(rule, 'ID')
    return [
      {
        ...(id && id.length <= 255 ? { id } : {}),
        origins,
        methods,
        ...(headers.length > 0 ? { headers } : {}),
        ...(expose.length > 0 ? { expose } : {}),
        ...(age === undefined ? {} : { max_age_seconds: age }),
      },
    ]
  })
  return { fields: rules.length > 0 ? { cors: withoutSameIds(rules) } : {}, notes }
}

const textsIn = (node: XmlNode, name: string): string[] => [
  ...new Set(childrenOf(node, name).map(({ text }) => text.trim())),
]

/** Of rules with the same name, only the first keeps it. */
const withoutSameIds = (rules: readonly { id?: string }[]): object[] =>
  rules.map((rule, i) => {
    const { id, ...others } = rule
    return rules.findIndex((one) => one.id === id) < i ? others : rule
  })
