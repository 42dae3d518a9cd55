import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { type Engine, startServer, type TestServer } from '../support/server.ts'

/** What a list says of a bucket: keys with the texts of their objects and their tags. */
export type State = Record<string, { text: string; tags: Record<string, string> }>
export type Bucket = Awaited<ReturnType<ReturnType<typeof momentsWorld>['open']>>

/** A service of a suite, started before and stopped after it, and buckets whose changes say their moments. */
export function momentsWorld(engine: Engine) {
  let server: TestServer
  let buckets = 0
  before(async () => {
    server = await startServer(engine, { INLINE_MAX_BYTES: '4' })
  })
  after(() => server.stop())

  const open = async (body: object = {}) => {
    const name = `moments-${++buckets}`
    await server.admin.createBucket({ body: { name, ...body } })
    const params = { bucket: name }
    /** Sends a request; resolves to the moment that its answer names. */
    const send = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
      const isText = typeof body === 'string'
      const response = await fetch(`${server.url}/api/v1${path}`, {
        method,
        headers: {
          authorization: `Bearer ${server.adminToken}`,
          ...(body === undefined || isText ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
      })
      assert.ok(response.ok, `${method} ${path}: ${response.status} ${await response.text()}`)
      return response.headers.get('x-strongroom-moment')
    }
    const object = (key: string) => `/buckets/${name}/objects/${encodeURIComponent(key)}`
    return {
      name,
      params,
      put: (key: string, text: string, tags = '') =>
        send('PUT', object(key), text, { 'content-type': 'text/plain', ...(tags === '' ? {} : { 'x-tags': tags }) }),
      remove: (key: string, query = '') => send('DELETE', `${object(key)}${query}`),
      tag: (key: string, tags: Record<string, string>) => send('PATCH', object(key), { tags }),
      move: (key: string, dest_key: string) =>
        send('POST', `/buckets/${name}/objects/move`, { source_bucket: name, source_key: key, dest_key }),
      copy: (key: string, dest_key: string) =>
        send('POST', `/buckets/${name}/objects/copy`, { source_bucket: name, source_key: key, dest_key }),
      restore: (ids: string[]) => send('POST', `/buckets/${name}/trash/restore`, { ids, on_conflict: 'replace' }),
      trash: async () => (await server.admin.listTrash({ params })).items,
      text: async (key: string, at?: string) =>
        (await server.admin.getObject({ params: { ...params, key }, query: at === undefined ? {} : { at } })).text(),
      list: async (at?: string) =>
        (await server.admin.listObjects({ params, query: { limit: 1000, ...(at === undefined ? {} : { at }) } })).items,
    }
  }
  const stateOf = async (bucket: Awaited<ReturnType<typeof open>>, at?: string): Promise<State> => {
    const state: State = {}
    for (const { key, tags = {} } of await bucket.list(at)) state[key] = { text: await bucket.text(key, at), tags }
    return state
  }

  return {
    get server() {
      return server
    },
    open,
    stateOf,
  }
}
