import { urlOf } from '../../../client/derived.ts'
import { type Api, api, type OperationName } from '../../../contract/index.ts'
import type { RouteSpec } from '../../../contract/route.ts'
import { quoted } from '../shell-quote.ts'

export interface ApiCall {
  operation: OperationName
  params?: Record<string, unknown>
  query?: Record<string, unknown>
  body?: unknown
}

/** The curl command for a view's API call. The reader supplies the credential. */
export function curlOf({ operation, body, ...call }: ApiCall): string {
  const route: RouteSpec = (api as Api)[operation]
  const method = route.method === 'GET' ? '' : ` -X ${route.method}`
  const json = body === undefined ? '' : ` -H 'Content-Type: application/json' -d ${quoted(JSON.stringify(body))}`
  const credential = route.access === 'public' ? '' : ' -H "Authorization: Bearer $TOKEN"'
  return `curl${method}${credential}${json} ${quoted(urlOf(location.origin, route, call))}`
}
