import { randomBytes } from 'node:crypto'
import type { FastifyReply } from 'fastify'

/** Placeholder that the build puts into a page; every response replaces it with a new nonce. */
const NONCE = '__STRONGROOM_NONCE__'

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

const NOT_BUILT = 'The console has not been built. Run `npm run build`. The API works: see /docs.\n'

interface PageOptions {
  /** Origins besides our own that the page may connect to. */
  elsewhere?: readonly string[]
  /** HTML to add to the page's head. */
  head?: string
}

/** Responds with a page of a build, under a policy with a nonce of its own; with 503 if it was not built. */
export function sendPage(
  reply: FastifyReply,
  page: string | undefined,
  { elsewhere = [], head = '' }: PageOptions = {},
): FastifyReply {
  if (page === undefined) return reply.code(503).type('text/plain; charset=utf-8').send(NOT_BUILT)
  const nonce = randomBytes(16).toString('base64')
  return reply
    .header('content-security-policy', policy(nonce, elsewhere))
    .header('cache-control', 'no-cache')
    .type('text/html; charset=utf-8')
    .send(page.replaceAll(NONCE, () => nonce).replace('</head>', () => `${head}</head>`))
}
