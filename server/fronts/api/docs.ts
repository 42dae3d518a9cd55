import fs from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import type { openapi } from './openapi.ts'

const CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self' blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The wheel of a vault door, same as the console's mark.svg. */
const MARK = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" color="#0b6e6e"><g fill="currentColor" stroke="currentColor"><path stroke="none" fill-rule="evenodd" d="M8 2h16a6 6 0 0 1 6 6v16a6 6 0 0 1-6 6H8a6 6 0 0 1-6-6V8a6 6 0 0 1 6-6Zm8 5a9 9 0 1 0 0 18 9 9 0 0 0 0-18Z"/><path stroke-width="2.6" d="M16 16L16 6.8M16 16L8.03 20.6M16 16L23.97 20.6"/><circle cx="16" cy="16" r="3.6" stroke="none"/></g></svg>`
/** The mark with the name, for the dark bar of Swagger UI. */
const LOGO = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 150 40">${MARK.replace('<svg ', '<svg x="0" y="4" width="32" height="32" ').replace('#0b6e6e', '#4cbab3')}<text x="42" y="28" font-family="sans-serif" font-size="22" font-weight="600" fill="#fff">Strongroom</text></svg>`

/** Swagger UI shows a single document, and logs in without OAuth scopes or a client. */
const STYLE = `
.swagger-ui .topbar .download-url-wrapper, .swagger-ui .scope-def { display: none }
.swagger-ui .wrapper:has(> label:is([for=password_type], [for^=client_])) { display: none }
.swagger-ui .topbar .dark-mode-toggle { margin-left: auto }
`

const REDOC_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Strongroom API</title>
<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(MARK)}">
<style>body { margin: 0 }</style>
</head>
<body>
<redoc spec-url="/openapi.json" disable-search="false"></redoc>
<script src="/redoc/redoc.standalone.js"></script>
</body>
</html>
`

/**
 * `/openapi.json`, Swagger UI at `/docs` and Redoc at `/redoc`, with every asset from our own packages. The document is
 * made for whoever first asks for it.
 */
export async function docsPages(
  app: FastifyInstance,
  { makeDocument }: { makeDocument: () => ReturnType<typeof openapi> },
) {
  let document: ReturnType<typeof openapi> | undefined
  let json: string | undefined
  const toJSON = () => {
    document ??= makeDocument()
    return document
  }
  app.addHook('onSend', (_request, reply, payload, done) => {
    reply.header('content-security-policy', CSP)
    done(null, payload)
  })
  await app.register(swagger, { mode: 'static', specification: { document: { toJSON } as never } })
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    uiConfig: { url: '/openapi.json', deepLinking: true, tryItOutEnabled: true, persistAuthorization: false },
    logo: { type: 'image/svg+xml', content: Buffer.from(LOGO) },
    theme: {
      title: 'Strongroom API',
      css: [{ filename: 'strongroom.css', content: STYLE }],
      favicon: [{ filename: 'mark.svg', rel: 'icon', sizes: 'any', type: 'image/svg+xml', content: Buffer.from(MARK) }],
    },
  })
  app.get('/openapi.json', (_request, reply) => {
    json ??= JSON.stringify(toJSON())
    return reply.type('application/json').send(json)
  })

  let bundle: Promise<string> | undefined
  app.get('/redoc', (_request, reply) => reply.type('text/html; charset=utf-8').send(REDOC_PAGE))
  app.get('/redoc/redoc.standalone.js', async (_request, reply) => {
    bundle ??= redocBundle()
    return reply
      .type('text/javascript; charset=utf-8')
      .header('cache-control', 'public, max-age=86400')
      .send(await bundle)
  })
}

/** Redoc as the package has it. In a checkout it comes from its own package, which only development needs. */
const REDOC = path.join(import.meta.dirname, '../../../redoc/redoc.standalone.js')

/** Redoc loads one image from its vendor's server; replace it with an empty one. */
async function redocBundle(): Promise<string> {
  const file = fs.existsSync(REDOC)
    ? REDOC
    : createRequire(import.meta.url).resolve('redoc/bundles/redoc.standalone.js')
  return (await readFile(file, 'utf8')).replaceAll('https://cdn.redoc.ly/redoc/logo-mini.svg', 'data:,')
}
