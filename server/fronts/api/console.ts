import { randomBytes } from 'node:crypto'
import fs from 'node:fs/promises'
import path from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import mimeTypes from 'mime-types'
import type { Config } from '../../config/config.ts'

const FOLDER = path.join(import.meta.dirname, '../../../console/dist')
/** Placeholder that the build puts into the page; every response replaces it with a new nonce. */
const NONCE = '__STRONGROOM_NONCE__'
const YEAR_SECONDS = 31_536_000

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

interface Asset {
  type: string
  bytes: Buffer
  br?: Buffer
  gz?: Buffer
}
interface Build {
  /** index.html, with the placeholder for the nonce. */
  page: string
  assets: ReadonlyMap<string, Asset>
}

let build: ReturnType<typeof readBuild> | undefined

/** The build, read once per process on first use; retried if there was none. */
async function buildOnce(): Promise<Build | undefined> {
  build ??= readBuild()
  const found = await build.catch((error: unknown) => {
    build = undefined
    throw error
  })
  if (!found) build = undefined
  return found
}

/** Every file of the build; undefined without a build. */
async function readBuild(): Promise<Build | undefined> {
  const names = await fs.readdir(FOLDER, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = new Map<string, Buffer>()
  for (const entry of names) {
    const file = path.join(entry.parentPath, entry.name)
    if (entry.isFile()) files.set(path.relative(FOLDER, file).replaceAll(path.sep, '/'), await fs.readFile(file))
  }
  const page = files.get('index.html')?.toString()
  if (page === undefined) return undefined
  const assets = new Map<string, Asset>()
  for (const [name, bytes] of files) {
    if (/\.(br|gz)$/.test(name) || name.startsWith('.vite/') || name === 'index.html') continue
    const [br, gz] = [files.get(`${name}.br`), files.get(`${name}.gz`)]
    const type = mimeTypes.contentType(path.basename(name)) || 'application/octet-stream'
    assets.set(name, { type, bytes, ...(br ? { br } : {}), ...(gz ? { gz } : {}) })
  }
  return { page, assets }
}

const NOT_BUILT = 'The console has not been built. Run `npm run build`. The API works: see /docs.\n'

/**
 * The web console below `/console`: unknown paths are views of the page, unknown assets 404. Hashed files never change.
 */
export async function consolePages(app: FastifyInstance, { config }: { config: Config }) {
  const elsewhere = uploadOrigins(config)

  const sendPage = (reply: FastifyReply, page: string | undefined): FastifyReply => {
    if (page === undefined) return reply.code(503).type('text/plain; charset=utf-8').send(NOT_BUILT)
    const nonce = randomBytes(16).toString('base64')
    return reply
      .header('content-security-policy', policy(nonce, elsewhere))
      .header('cache-control', 'no-cache')
      .type('text/html; charset=utf-8')
      .send(page.replaceAll(NONCE, nonce))
  }
  const toConsole = (_request: FastifyRequest, reply: FastifyReply): FastifyReply => reply.redirect('/console/', 302)

  app.get('/', toConsole)
  app.get('/console', toConsole)
  app.get<{ Params: { '*': string } }>('/console/*', async (request, reply) => {
    const name = request.params['*']
    const found = await buildOnce()
    const asset = found?.assets.get(name)
    if (asset) return sendAsset(request, reply, asset, name.startsWith('assets/'))
    if (name.startsWith('assets/')) {
      reply.callNotFound()
      return reply
    }
    return sendPage(reply, found?.page)
  })
}

/** Origins for direct uploads to storage, including hosts named after the bucket. */
function uploadOrigins({ directTransfers, storageUrl }: Config): string[] {
  if (!directTransfers) return []
  const endpoint = new URL(storageUrl).searchParams.get('endpoint')
  return endpoint?.startsWith('http:') ? ['https:', new URL(endpoint).origin] : ['https:']
}

function sendAsset(request: FastifyRequest, reply: FastifyReply, asset: Asset, immutable: boolean): FastifyReply {
  const accepted = String(request.headers['accept-encoding'] ?? '')
  const encoding = asset.br && /\bbr\b/.test(accepted) ? 'br' : asset.gz && /\bgzip\b/.test(accepted) ? 'gzip' : null
  if (asset.br || asset.gz) reply.header('vary', 'accept-encoding')
  if (encoding) reply.header('content-encoding', encoding)
  return reply
    .header('cache-control', immutable ? `public, max-age=${YEAR_SECONDS}, immutable` : 'no-cache')
    .type(asset.type)
    .send(encoding === 'br' ? asset.br : encoding === 'gzip' ? asset.gz : asset.bytes)
}
