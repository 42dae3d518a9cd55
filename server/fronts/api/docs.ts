import fs from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
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
html { box-sizing: border-box; overflow-y: scroll }
*, *::before, *::after { box-sizing: inherit }
body { margin: 0; background: #fafafa }
.swagger-ui .topbar a.link { flex: none; width: 150px; height: 40px; background: url("data:image/svg+xml,${encodeURIComponent(LOGO)}") }
.swagger-ui .topbar a.link > * { display: none }
.swagger-ui .topbar .download-url-wrapper, .swagger-ui .scope-def { display: none }
.swagger-ui .wrapper:has(> label:is([for=password_type], [for^=client_])) { display: none }
.swagger-ui .topbar .dark-mode-toggle { margin-left: auto }
`

const START = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  tryItOutEnabled: true,
  persistAuthorization: false,
  validatorUrl: null,
  presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset],
  plugins: [SwaggerUIBundle.plugins.DownloadUrl],
  layout: 'StandaloneLayout',
})
`

const page = (head: string, body: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Strongroom API</title>
<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(MARK)}">
${head}
</head>
<body>
${body}
</body>
</html>
`

const SWAGGER_PAGE = page(
  `<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="stylesheet" href="/docs/strongroom.css">`,
  `<div id="swagger-ui"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/swagger-ui-standalone-preset.js"></script>
<script src="/docs/start.js"></script>`,
)

const REDOC_PAGE = page(
  '<style>body { margin: 0 }</style>',
  `<redoc spec-url="/openapi.json" disable-search="false"></redoc>
<script src="/redoc/redoc.standalone.js"></script>`,
)

/**
 * `/openapi.json`, Swagger UI at `/docs` and Redoc at `/redoc`, with every asset from our own packages. The document is
 * made for whoever first asks for it.
 */
export async function docsPages(
  app: FastifyInstance,
  { makeDocument }: { makeDocument: () => ReturnType<typeof openapi> },
) {
  app.addHook('onSend', (_request, reply, payload, done) => {
    reply.header('content-security-policy', CSP)
    done(null, payload)
  })
  let json: string | undefined
  app.get('/openapi.json', (_request, reply) => {
    json ??= JSON.stringify(makeDocument())
    return reply.type('application/json').send(json)
  })
  for (const [url, html] of Object.entries({ '/docs': SWAGGER_PAGE, '/docs/': SWAGGER_PAGE, '/redoc': REDOC_PAGE }))
    app.get(url, (_request, reply) => reply.type('text/html; charset=utf-8').send(html))
  for (const [url, read] of Object.entries(assets)) {
    const type = url.endsWith('.css') ? 'text/css' : 'text/javascript'
    let text: Promise<string> | undefined
    app.get(url, async (_request, reply) => {
      text ??= read()
      return reply
        .type(`${type}; charset=utf-8`)
        .header('cache-control', 'public, max-age=86400')
        .send(await text)
    })
  }
}

/**
 * What these pages need of packages that are for development: packaging copies the files into a folder of `dist`
 * (scripts/package.ts). They are served below `at`.
 */
export const builds = [
  {
    at: '/docs',
    folder: 'swagger-ui',
    from: '@fastify/swagger-ui/static',
    files: ['swagger-ui.css', 'swagger-ui-bundle.js', 'swagger-ui-standalone-preset.js'],
  },
  { at: '/redoc', folder: 'redoc', from: 'redoc/bundles', files: ['redoc.standalone.js'] },
] as const

/** The scripts and styles of these pages, by their path. */
const assets: { readonly [url: string]: () => Promise<string> } = {
  ...Object.fromEntries(
    builds.flatMap(({ at, folder, from, files }) =>
      files.map((name) => [`${at}/${name}`, () => readBuilt(folder, from, name)]),
    ),
  ),
  '/docs/strongroom.css': async () => STYLE,
  '/docs/start.js': async () => START,
}

async function readBuilt(folder: string, from: string, name: string): Promise<string> {
  const copy = path.join(import.meta.dirname, '../../..', folder, name)
  const file = fs.existsSync(copy) ? copy : createRequire(import.meta.url).resolve(`${from}/${name}`)
  // Redoc loads one image from its vendor's server; replace it with an empty one.
  return (await readFile(file, 'utf8')).replaceAll('https://cdn.redoc.ly/redoc/logo-mini.svg', 'data:,')
}
