import type { IncomingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import { ServiceError } from '../../../../contract/errors.ts'
import { api } from '../../../../contract/index.ts'
import type { Ctx } from '../../../context.ts'
import { HEADERS, type Headers } from '../../mcp/headers.ts'
import { answerMessage, answerPlain } from '../../mcp/server.ts'
import { handle, type Raw } from '../handle.ts'

async function answer(ctx: Ctx, body: unknown, { request, reply }: Raw) {
  assertOrigin(ctx, request.headers.origin)
  if (!ctx.actor.scope)
    throw new ServiceError(
      'forbidden',
      'Use the token of an agent, or one with a scope: it says what the tools may reach.',
    )
  reply.header('cache-control', 'no-store')
  const headers = headersOf(request.headers)
  const plain = await answerPlain(ctx, headers, body)
  if (plain !== undefined) return reply.code(200).header('content-type', 'application/json').send(plain)
  const left = new AbortController()
  reply.raw.once('close', () => left.abort())
  // The address matters to nobody: it is ours whatever proxies are in between.
  const asked = new Request(`${ctx.config.publicBaseUrl}/mcp`, { method: 'POST', headers, signal: left.signal })
  const response = await answerMessage(ctx, asked, body)
  reply.code(response.status)
  for (const name of ['content-type', 'mcp-session-id']) {
    const value = response.headers.get(name)
    if (value !== null) reply.header(name, value)
  }
  if (!response.body) return reply.send()
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
  return reply.send(isStream ? Readable.fromWeb(response.body as never) : Buffer.from(await response.arrayBuffer()))
}

/** What of a request's headers the protocol looks at. */
function headersOf(all: IncomingHttpHeaders): Headers {
  const headers: { [name: string]: string } = {}
  for (const name of HEADERS) {
    const value = all[name]
    if (typeof value === 'string') headers[name] = value
  }
  return headers
}

/** Pages of other origins may only call it if they may call the API. Clients that are no browsers send no origin. */
function assertOrigin({ config }: Ctx, origin: string | undefined): void {
  if (origin === undefined || origin === new URL(config.publicBaseUrl).origin) return
  if (config.corsOrigins.includes('*') || config.corsOrigins.includes(origin)) return
  throw new ServiceError('forbidden', 'Pages of this origin may not call the MCP server.')
}

export const mcpRoutes = [handle(api.callMcp, (ctx, { body, ...raw }) => answer(ctx, body, raw))]
