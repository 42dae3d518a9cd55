// The documentation as the service serves it at /help. The site is read as `npm run site` built it.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import { brotliDecompressSync } from 'node:zlib'
import Fastify from 'fastify'
import { helpPages } from '../../server/fronts/api/help.ts'
import { request } from '../support/http.ts'
import { startServer, type TestServer } from '../support/server.ts'

const dist = path.join(import.meta.dirname, '../../site/dist')
const isBuilt = fs.existsSync(path.join(dist, 'index.html.br'))
const MOST_BYTES = 5_000_000

/** The texts of the site by name. */
const texts = (ending: RegExp): Map<string, string> =>
  new Map(
    fs
      .readdirSync(dist, { recursive: true, encoding: 'utf8' })
      .filter((name) => ending.test(name.replace(/\.br$/, '')) && fs.statSync(path.join(dist, name)).isFile())
      .map((name) => {
        const bytes = fs.readFileSync(path.join(dist, name))
        return [name.replace(/\.br$/, ''), (name.endsWith('.br') ? brotliDecompressSync(bytes) : bytes).toString()]
      }),
  )

describe('the documentation at /help', { skip: !isBuilt && 'it is not built (npm run site)' }, () => {
  let server: TestServer
  before(async () => {
    server = await startServer('sqlite')
  })
  after(() => server?.stop())
  const get = (at: string, headers = {}, method = 'GET') => request({ url: server.url, path: at, method, headers })

  it('needs no sign-in, and a policy without exceptions holds for its pages', async () => {
    const start = await get('/help')
    assert.deepEqual([start.status, start.headers.location], [302, '/help/'])
    for (const at of ['/help/', '/help/s3.html', '/help/s3', '/help/decisions/', '/help/api/objects.html?q=1']) {
      const { status, headers, body } = await get(at)
      assert.equal(status, 200, at)
      assert.equal(headers['content-type'], 'text/html; charset=utf-8', at)
      assert.doesNotMatch(String(headers['content-security-policy']), /unsafe|https?:|\*/, at)
      assert.match(String(headers['content-security-policy']), /script-src 'self'; style-src 'self';/, at)
      assert.match(body.toString(), /<h1/, at)
    }
  })

  it('sends Brotli to those who accept it, the same bytes to others, and nothing to those who have them', async () => {
    const packed = await get('/help/s3.html', { 'accept-encoding': 'gzip, br' })
    const plain = await get('/help/s3.html')
    assert.deepEqual([packed.headers['content-encoding'], plain.headers['content-encoding']], ['br', undefined])
    assert.deepEqual([packed.headers.vary, plain.headers.vary], ['accept-encoding', 'accept-encoding'])
    assert.deepEqual(brotliDecompressSync(packed.body), plain.body)
    assert.ok(packed.body.length * 3 < plain.body.length)
    const etag = String(plain.headers.etag)
    assert.equal(plain.headers['cache-control'], 'no-cache')
    const again = await get('/help/s3.html', { 'if-none-match': etag })
    assert.deepEqual([again.status, again.body.length, again.headers.etag], [304, 0, etag])
    assert.equal((await get('/help/s3.html', { 'if-none-match': '"other"' })).status, 200)
    const asset = /\/help\/assets\/app\.[^"]+\.js/.exec(plain.body.toString())?.[0] ?? ''
    assert.match(String((await get(asset)).headers['cache-control']), /immutable/)
  })

  it('answers what it does not have with 404, as a page or as a problem', async () => {
    for (const at of ['/help/none', '/help/none/', '/help/api/none.html', '/help/.vite/packages.json']) {
      const { status, headers } = await get(at)
      assert.deepEqual([status, headers['content-type']], [404, 'text/html; charset=utf-8'], at)
    }
    for (const at of ['/help/assets/none.js', '/helper']) {
      const { status, headers } = await get(at)
      assert.deepEqual([status, headers['content-type']], [404, 'application/problem+json'], at)
    }
    for (const at of ['/help/../package.json', '/help/%2e%2e/%2e%2e/package.json', '/help/..%2f..%2fpackage.json']) {
      const { status, body } = await get(at)
      assert.equal(status, 404, at)
      assert.doesNotMatch(body.toString(), /"dependencies"/, at)
    }
    assert.equal((await get('/help/', {}, 'POST')).status, 404)
  })

  it('is linked from the console’s page', async () => {
    assert.match((await get('/console/')).body.toString(), /<link rel="help" href="\/help\/">/)
  })
})

describe('the site as it is built', { skip: !isBuilt && 'it is not built (npm run site)' }, () => {
  it('has no inline script or style, and names no other host as a source', () => {
    for (const [name, html] of texts(/\.html$/)) {
      assert.doesNotMatch(html, /<script(?![^>]* src=)[^>]*>|<style| style="| on\w+="/, name)
      assert.doesNotMatch(html, /<(script|link|img|source|iframe)[^>]* (src|href|srcset)="(https?:)?\/\//, name)
    }
    for (const [name, css] of texts(/\.css$/)) assert.doesNotMatch(css, /url\(["']?(https?:)?\/\//, name)
  })

  it('has no link that leads nowhere', () => {
    const pages = texts(/\.html$/)
    assert.ok(pages.size >= 100, `${pages.size} pages`)
    const anchors = new Map([...pages].map(([name, html]) => [name, new Set(html.match(/(?<= id=")[^"]+/g))]))
    const faults: string[] = []
    for (const [name, html] of pages)
      for (const [, href = ''] of html.matchAll(/<a [^>]*href="([^"]+)"/g)) {
        const { origin, pathname, hash } = new URL(href, `http://site/help/${name}`)
        if (origin !== 'http://site' || pathname === '/console/') continue
        const file = decodeURI(pathname)
          .replace('/help/', '')
          .replace(/(^|\/)$/, '$1index.html')
        const found = anchors.get(file)
        const isFile = found || fs.existsSync(path.join(dist, file))
        if (!pathname.startsWith('/help/') || !isFile) faults.push(`${name}: ${href}`)
        else if (hash && !found?.has(decodeURIComponent(hash.slice(1)))) faults.push(`${name}: ${href}`)
      }
    assert.deepEqual([...new Set(faults)], [])
  })

  it('is small', () => {
    const names = fs.readdirSync(dist, { recursive: true, encoding: 'utf8' })
    const bytes = names.map((name) => fs.statSync(path.join(dist, name))).filter((one) => one.isFile())
    const sum = bytes.reduce((total, { size }) => total + size, 0)
    assert.ok(sum <= MOST_BYTES, `${(sum / 1e6).toFixed(1)} MB`)
  })
})

it('without the documentation, every path below /help is 404', async () => {
  const app = Fastify()
  await app.register(helpPages, { read: async () => new Map() })
  for (const url of ['/help', '/help/', '/help/s3.html', '/help/assets/app.js'])
    assert.equal((await app.inject({ url })).statusCode, 404, url)
  await app.close()
})
