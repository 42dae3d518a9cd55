import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { animatedGif, cut, declaredPng, HEIC, headerOf, photo, SVG, transparent } from '../support/pictures.ts'
import { rejectsWith } from '../support/problems.ts'
import { allActions, describeEngines, startServer, type TestServer } from '../support/server.ts'

const update = [{ action: 'settings_update' }] as const

describeEngines('name and logo', (engine) => {
  let server: TestServer
  before(async () => {
    server = await startServer(engine)
  })
  after(() => server.stop())
  const lastDetails = async () => JSON.parse((await allActions(server.database)).at(-1)?.details ?? '{}')
  const get = (path: string) => fetch(server.url + path)

  it('stores a logo as a small PNG under an address that changes with it', async () => {
    assert.equal((await server.admin.getSettings()).logo_url, null)
    await rejectsWith(server.admin.getLogo(), 'not_found')
    const { logo_url } = await server.records(update, async () =>
      server.admin.setLogo({ body: await photo(2000, 500).jpeg().toBuffer() }),
    )
    assert.match(logo_url ?? '', /^\/public\/logo\?v=[0-9a-f]{22}$/)
    assert.equal((await server.admin.getSettings()).logo_url, logo_url)
    const details = await lastDetails()
    assert.equal(details.before.branding.logo, null)
    assert.match(details.after.branding.logo, /^[0-9a-f]{64}$/)

    const named = await get(logo_url ?? '')
    assert.deepEqual(
      [named.status, named.headers.get('content-type'), named.headers.get('cache-control')],
      [200, 'image/png', 'public, max-age=31536000, immutable'],
    )
    const { format, width, height } = await headerOf(new Uint8Array(await named.arrayBuffer()))
    assert.deepEqual([format, width, height], ['png', 480, 120])
    for (const other of ['/public/logo', '/public/logo?v=0000000000000000000000'])
      assert.equal((await get(other)).headers.get('cache-control'), 'no-cache', other)

    const next = await server.records(update, async () =>
      server.admin.setLogo({ body: await transparent(100, 50).webp().toBuffer() }),
    )
    assert.notEqual(next.logo_url, logo_url)
    const small = await headerOf(new Uint8Array(await (await get(next.logo_url ?? '')).arrayBuffer()))
    assert.deepEqual([small.width, small.height, small.hasAlpha], [100, 50, true], 'not enlarged')
    const still = await server.records(update, async () => server.admin.setLogo({ body: await animatedGif() }))
    assert.equal(
      (await headerOf(new Uint8Array(await (await get(still.logo_url ?? '')).arrayBuffer()))).pages,
      undefined,
    )
  })

  it('refuses what is no picture, is damaged or too large, and keeps the one there is', async () => {
    const kept = (await server.admin.getSettings()).logo_url
    const set = (body: Uint8Array) => server.admin.setLogo({ body: new Uint8Array(body) })
    await server.records([], async () => {
      for (const body of [SVG, HEIC, Buffer.from('<html>'), new Uint8Array()])
        await rejectsWith(set(body), 'unsupported_media_type')
      await rejectsWith(set(cut(await photo(300, 300).png().toBuffer(), 0.5)), 'invalid_request')
      await rejectsWith(set(declaredPng(5000, 4000)), 'invalid_request')
      await rejectsWith(set(new Uint8Array(1024 * 1024 + 1)), 'too_large')
    })
    assert.equal((await server.admin.getSettings()).logo_url, kept)
  })

  it('presents the site by its name and logo in the pages’ heads, and only as text', async (t) => {
    // Without a build there is no page.
    if ((await get('/console/')).status === 503) return t.skip('needs npm run build')
    const heads = async () => Promise.all(['/console/', '/s/unknown'].map(async (path) => (await get(path)).text()))
    for (const page of await heads()) assert.doesNotMatch(page, /application-name/)
    const name = 'Kim’s <b>"Files"</b> & more'
    await server.records(update, () => server.admin.updateSettings({ body: { branding: { name } } }))
    const { logo_url } = await server.admin.getSettings()
    for (const page of await heads()) {
      assert.match(
        page,
        /<meta name="application-name" content="Kim’s &#60;b&#62;&#34;Files&#34;&#60;\/b&#62; &#38; more">/,
      )
      assert.ok(page.includes(`<meta name="site-logo" content="${logo_url}">`))
      assert.ok(!page.includes('<b>'))
    }
    assert.match((await heads())[1] ?? '', /property="og:title" content="Kim’s &#60;b&#62;/)
    const setup = await server.admin.beginSecondFactor({ body: { kind: 'totp' } })
    assert.ok(decodeURIComponent(setup.totp?.uri ?? '').includes(name))
    for (const bad of ['', ' ', ' x', 'x'.repeat(61)])
      await rejectsWith(server.admin.updateSettings({ body: { branding: { name: bad } } }), 'invalid_request')

    await server.records(update, () => server.admin.deleteLogo())
    assert.equal((await lastDetails()).after.branding.logo, null)
    await server.records([], () => rejectsWith(server.admin.deleteLogo(), 'not_found'))
    assert.equal((await get(logo_url ?? '')).status, 404)
    await server.admin.updateSettings({ body: { branding: { name: null } } })
    for (const page of await heads()) assert.doesNotMatch(page, /application-name|site-logo/)
  })
})
