import path from 'node:path'
import type { FastifyInstance } from 'fastify'
import { publicActor } from '../../access/actors.ts'
import { brandingOf, siteName } from '../../access/settings/branding.ts'
import { createContext, type System } from '../../context.ts'
import { glimpse } from '../../features/shares/summary.ts'
import { measured } from '../../observe/meter.ts'
import { assetsOf, sendAsset } from './assets.ts'
import { originOf } from './authenticate.ts'
import { brandingTags } from './branding.ts'
import { sendPage } from './page.ts'
import { unfurl } from './unfurl.ts'

const PAGE = '/s/:token'

/** The pages of share links as `npm run build` builds them. */
const assets = assetsOf(path.join(import.meta.dirname, '../../../console/link/dist'))

/**
 * The pages of share links at `/s/{token}`. The same page serves every token, with tags for those who only preview it: it
 * asks the API what the link opens. Links given out by earlier releases, `/console/s/{token}`, lead there.
 */
export async function linkPages(app: FastifyInstance, system: System) {
  app.get<{ Params: { token: string } }>('/console/s/:token', (request, reply) => {
    const query = /\?.*$/s.exec(request.raw.url ?? '')?.[0] ?? ''
    return reply
      .header('cache-control', 'no-store')
      .redirect(`/s/${encodeURIComponent(request.params.token)}${query}`, 308)
  })
  app.get<{ Params: { '*': string } }>('/s/assets/*', async (request, reply) => {
    const asset = (await assets()).get(`assets/${request.params['*']}`)
    if (asset) return sendAsset(request, reply, asset, { immutable: true })
    reply.callNotFound()
    return reply
  })
  app.get<{ Params: { token: string } }>(PAGE, async (request, reply) => {
    const { token } = request.params
    if (token === '') {
      reply.callNotFound()
      return reply
    }
    const page = (await assets()).get('index.html')?.bytes?.toString()
    // Links are for those who were given them, not for search engines.
    reply.header('x-robots-tag', 'noindex, nofollow')
    if (page === undefined) return sendPage(reply, page)
    const ctx = createContext(system, publicActor(originOf(request, PAGE)))
    const [info, branding] = await measured(request.meter, () => Promise.all([glimpse(ctx, token), brandingOf(ctx)]))
    return sendPage(reply, page, { head: brandingTags(branding) + unfurl(info, siteName({ branding })) })
  })
}
