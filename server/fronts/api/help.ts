import path from 'node:path'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { type Assets, assetsOf, sendAsset } from './assets.ts'

/** The documentation site as `npm run site` builds it. */
const assets = assetsOf(path.join(import.meta.dirname, '../../../site/dist'))

/** Whether the documentation is built in; the console then links to it. */
export const hasHelp = async (): Promise<boolean> => (await assets()).has('index.html')

/** The site has no inline scripts or styles; the icons in its style sheet are data URLs. */
const CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The documentation below `/help`; every path is 404 if it was not built in. */
export async function helpPages(app: FastifyInstance, { read = assets }: { read?: () => Promise<Assets> } = {}) {
  const ownPolicy = (reply: FastifyReply) => reply.header('content-security-policy', CSP)

  app.get('/help', async (_request, reply) => {
    if ((await read()).has('index.html')) return reply.redirect('/help/', 302)
    reply.callNotFound()
    return reply
  })
  app.get<{ Params: { '*': string } }>('/help/*', async (request, reply) => {
    const found = await read()
    const name = request.params['*']
    const asset = found.get(name === '' || name.endsWith('/') ? `${name}index.html` : name) ?? found.get(`${name}.html`)
    if (asset) return sendAsset(request, ownPolicy(reply), asset, { immutable: name.startsWith('assets/') })
    const missing = name.startsWith('assets/') ? undefined : found.get('404.html')
    if (missing) return sendAsset(request, ownPolicy(reply).code(404), missing, { immutable: false })
    reply.callNotFound()
    return reply
  })
}
