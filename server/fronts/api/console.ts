import path from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../config/config.ts'
import { assetsOf, sendAsset } from './assets.ts'
import { hasHelp } from './help.ts'
import { sendPage } from './page.ts'

const FOLDER = path.join(import.meta.dirname, '../../../console/dist')
/** Tells the console that the documentation is built in. */
const HELP_LINK = '<link rel="help" href="/help/">'

const assets = assetsOf(FOLDER)

/**
 * The web console below `/console`: unknown paths are views of the page, unknown assets 404. Hashed files never change.
 */
export async function consolePages(app: FastifyInstance, { config }: { config: Config }) {
  const elsewhere = uploadOrigins(config)

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
    return sendPage(reply, found.get('index.html')?.bytes?.toString(), {
      elsewhere,
      head: (await hasHelp()) ? HELP_LINK : '',
    })
  })
}

/** Origins for direct uploads to storage, including hosts named after the bucket. */
function uploadOrigins({ directTransfers, storageUrl }: Config): string[] {
  if (!directTransfers) return []
  const endpoint = new URL(storageUrl).searchParams.get('endpoint')
  return endpoint?.startsWith('http:') ? ['https:', new URL(endpoint).origin] : ['https:']
}
