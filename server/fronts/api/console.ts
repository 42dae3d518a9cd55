import path from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { publicActor } from '../../access/actors.ts'
import type { Config } from '../../config/config.ts'
import { createContext, type System } from '../../context.ts'
import { assetsOf, sendAsset } from './assets.ts'
import { originOf } from './authenticate.ts'
import { brandingTagsOrNone } from './branding.ts'
import { hasHelp } from './help.ts'
import { sendPage } from './page.ts'

const FOLDER = path.join(import.meta.dirname, '../../../console/dist')
const PAGE = '/console/*'
/** Tells the console that the documentation is built in. */
const HELP_LINK = '<link rel="help" href="/help/">'

/** The threads that read documents of strangers, and their policy: they compile their readers of images, and may ask nobody for anything. */
const THREADS = /^assets\/pdf\.(worker|renderer)/
const THREAD_POLICY =
  "default-src 'none'; script-src 'wasm-unsafe-eval'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const assets = assetsOf(FOLDER)

/**
 * The web console below `/console`: unknown paths are views of the page, unknown assets 404. Hashed files never change.
 */
export async function consolePages(app: FastifyInstance, system: System) {
  const elsewhere = uploadOrigins(system.config)

  const toConsole = (_request: FastifyRequest, reply: FastifyReply): FastifyReply => reply.redirect('/console/', 302)

  app.get('/', toConsole)
  app.get('/console', toConsole)
  app.get<{ Params: { '*': string } }>(PAGE, async (request, reply) => {
    const name = request.params['*']
    const found = await assets()
    const asset = name === 'index.html' ? undefined : found.get(name)
    if (asset && THREADS.test(name)) reply.header('content-security-policy', THREAD_POLICY)
    if (asset) return sendAsset(request, reply, asset, { immutable: name.startsWith('assets/') })
    if (name.startsWith('assets/')) {
      reply.callNotFound()
      return reply
    }
    const [branding, help] = await Promise.all([
      brandingTagsOrNone(createContext(system, publicActor(originOf(request, PAGE)))),
      hasHelp(),
    ])
    return sendPage(reply, found.get('index.html')?.bytes?.toString(), {
      elsewhere,
      head: branding + (help ? HELP_LINK : ''),
    })
  })
}

/** Origins for direct uploads to storage, including hosts named after the bucket. */
function uploadOrigins({ directTransfers, storageUrl }: Config): string[] {
  if (!directTransfers) return []
  const endpoint = new URL(storageUrl).searchParams.get('endpoint')
  return endpoint?.startsWith('http:') ? ['https:', new URL(endpoint).origin] : ['https:']
}
