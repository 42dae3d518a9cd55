import { randomBytes } from 'node:crypto'
import path from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../config/config.ts'
import { assetsOf, sendAsset } from './assets.ts'
import { hasHelp } from './help.ts'

const FOLDER = path.join(import.meta.dirname, '../../../console/dist')
/** Placeholder that the build puts into the page; every response replaces it with a new nonce. */
const NONCE = '__STRONGROOM_NONCE__'

/** Tells the console that the documentation is built in. */
const HELP_LINK = '<link rel="help" href="/help/">'

/** Allows only our own scripts and styles; users' contents cannot become part of the page. */
const policy = (nonce: string, elsewhere: readonly string[]): string =>
  [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}'`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' blob: data:",
    "media-src 'self' blob:",
    "font-src 'self'",
    ["connect-src 'self'", ...elsewhere].join(' '),
    "frame-src 'self'",
    "worker-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

const assets = assetsOf(FOLDER)

const NOT_BUILT = 'The console has not been built. Run `npm run build`. The API works: see /docs.\n'

/**
 * The web console below `/console`: unknown paths are views of the page, unknown assets 404. Hashed files never change.
 */
export async function consolePages(app: FastifyInstance, { config }: { config: Config }) {
  const elsewhere = uploadOrigins(config)

  const sendPage = (reply: FastifyReply, page: string | undefined, withHelp: boolean): FastifyReply => {
    if (page === undefined) return reply.code(503).type('text/plain; charset=utf-8').send(NOT_BUILT)
    const nonce = randomBytes(16).toString('base64')
    return reply
      .header('content-security-policy', policy(nonce, elsewhere))
      .header('cache-control', 'no-cache')
      .type('text/html; charset=utf-8')
      .send(page.replaceAll(NONCE, nonce).replace('</head>', withHelp ? `${HELP_LINK}</head>` : '</head>'))
  }
  const toConsole = (_request: FastifyRequest, reply: FastifyReply): FastifyReply => reply.redirect('/console/', 302)

  app.get('/', toConsole)
  app.get('/console', toConsole)
  app.get<{ Params: { '*': string } }>('/console/*', async (request, reply) => {
    const name = request.params['*']
    const found = await assets()
    const asset = name === 'index.html' ? undefined : found.get(name)
    if (asset) return sendAsset(request, reply, asset, { immutable: name.startsWith('assets/') })
    if (name.startsWith('assets/')) {
      reply.callNotFound()
      return reply
    }
    return sendPage(reply, found.get('index.html')?.bytes?.toString(), await hasHelp())
  })
}

/** Origins for direct uploads to storage, including hosts named after the bucket. */
function uploadOrigins({ directTransfers, storageUrl }: Config): string[] {
  if (!directTransfers) return []
  const endpoint = new URL(storageUrl).searchParams.get('endpoint')
  return endpoint?.startsWith('http:') ? ['https:', new URL(endpoint).origin] : ['https:']
}
