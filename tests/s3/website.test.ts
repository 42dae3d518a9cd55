import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import {
  CopyObjectCommand,
  CreateBucketCommand,
  DeleteBucketWebsiteCommand,
  GetBucketWebsiteCommand,
  HeadObjectCommand,
  PutBucketCorsCommand,
  PutBucketPolicyCommand,
  PutBucketWebsiteCommand,
  PutObjectCommand,
  type RoutingRule,
  type S3Client,
  type WebsiteConfiguration,
} from '@aws-sdk/client-s3'
import fc from 'fast-check'
import { readConfig } from '../../server/config/config.ts'
import { locationBy, locationElsewhere, locationOfFolder } from '../../server/fronts/s3/website/redirect.ts'
import { siteOf } from '../../server/http/site.ts'
import { describeEngines, startServer, type TestServer } from '../support/server.ts'
import { outcome, s3World, wireTo } from './s3.ts'

const DOMAIN = 'sites.example.net'
const RULES = { Suffix: 'index.html' }

describeEngines('S3: websites', (engine, itOnce) => {
  let server: TestServer
  let world: ReturnType<typeof s3World>
  let s3: S3Client
  before(async () => {
    server = await startServer(engine, { S3_PORT: '0', S3_WEBSITE_DOMAIN: `${DOMAIN},www.example.org` })
    world = s3World(server)
    s3 = world.clientOf(await world.keyOf())
    await server.admin.updateSettings({ body: { s3: { public_access: true } } })
    await site('www', { IndexDocument: RULES, ErrorDocument: { Key: 'error.html' } })
    for (const [key, text] of Object.entries({ 'index.html': 'home', 'docs/index.html': 'docs', 'error.html': 'lost' }))
      await put('www', key, text)
  })
  after(() => server.stop())

  /** A bucket of which everything is public, with a website. */
  async function site(bucket: string, website: WebsiteConfiguration, { isPublic = true } = {}) {
    await s3.send(new CreateBucketCommand({ Bucket: bucket }))
    await s3.send(new PutBucketWebsiteCommand({ Bucket: bucket, WebsiteConfiguration: website }))
    const statement = { Effect: 'Allow', Principal: '*', Action: 's3:GetObject', Resource: `arn:aws:s3:::${bucket}/*` }
    const Policy = JSON.stringify({ Version: '2012-10-17', Statement: [statement] })
    if (isPublic) await s3.send(new PutBucketPolicyCommand({ Bucket: bucket, Policy }))
  }
  const put = (bucket: string, key: string, text: string, more = {}) =>
    s3.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: text, ContentType: 'text/html', ...more }))
  const get = (path: string, { host = `www.${DOMAIN}`, method = 'GET', headers = {} } = {}) =>
    world.send(method, path, { host, ...headers })

  it('shows pages, index documents and the document for errors', async () => {
    const cases: [path: string, status: number, text: string, location?: string][] = [
      ['/', 200, 'home'],
      ['/index.html', 200, 'home'],
      ['/docs/', 200, 'docs'],
      ['/docs', 302, '', '/docs/'],
      ['/docs?a=b', 302, '', '/docs/?a=b'],
      // Who may not list learns nothing of what is not there.
      ['/none', 403, 'lost'],
      ['/none/', 403, 'lost'],
    ]
    for (const [path, status, text, location] of cases)
      for (const method of ['GET', 'HEAD']) {
        const answer = await get(path, { method })
        const expected = [status, method === 'GET' ? text : '', location]
        assert.deepEqual([answer.status, answer.text, answer.headers.location], expected, path)
        assert.equal(answer.headers['content-security-policy'], undefined)
      }
    const lost = await get('/none')
    assert.deepEqual([lost.headers['x-amz-error-code'], lost.headers['content-type']], ['AccessDenied', 'text/html'])
  })

  itOnce('is found under every form of its host, and nothing else is', async () => {
    for (const host of [`www.${DOMAIN}`, `WWW.${DOMAIN}:9000`, `www.${DOMAIN}.`, `www.${DOMAIN}.:80`])
      assert.equal((await get('/', { host })).text, 'home', host)
    await site('www.example.org', { IndexDocument: RULES })
    await put('www.example.org', 'index.html', 'own')
    assert.equal((await get('/', { host: 'www.example.org' })).text, 'own')
    for (const [host, status, code] of [
      [`none.${DOMAIN}`, 404, 'NoSuchBucket'],
      [DOMAIN, 404, 'NoSuchBucket'],
      [`a_b.${DOMAIN}`, 404, 'NoSuchBucket'],
    ] as const) {
      const answer = await get('/', { host })
      assert.deepEqual([answer.status, answer.headers['x-amz-error-code']], [status, code], host)
      assert.match(answer.text, new RegExp(`<title>${status} .*<li>Code: ${code}</li>`, 's'))
    }
    // Neither a name of the endpoint nor what a proxy says of the host is one of a website.
    for (const headers of [{ host: `x${DOMAIN}` }, { host: 'h', 'x-forwarded-host': `www.${DOMAIN}` }])
      assert.match((await get('/www/index.html', { host: headers.host, headers })).text, /home|<Error>/)
    assert.equal((await get('/www/index.html', { host: 'h' })).headers['content-security-policy'], 'sandbox')
  })

  itOnce('answers nothing but reads, of what is public alone, whoever asks', async () => {
    await site('private', { IndexDocument: RULES }, { isPublic: false })
    await put('private', 'index.html', 'secret')
    const host = `private.${DOMAIN}`
    assert.equal((await get('/', { host })).status, 403)
    const pair = await world.keyOf()
    const signed = await world.signed(pair, { method: 'GET', path: '/index.html', headers: { host } })
    assert.equal((await get('/index.html', { host, headers: signed })).status, 403)
    for (const method of ['PUT', 'POST', 'DELETE']) {
      const { status, headers } = await get('/index.html', { method })
      assert.deepEqual(
        [status, headers['x-amz-error-code'], headers.allow],
        [405, 'MethodNotAllowed', 'GET, HEAD, OPTIONS'],
      )
    }
    // No parameter has a meaning: neither a list nor a version nor another type.
    for (const query of ['list-type=2', 'versionId=x', 'response-content-type=text/plain', 'acl', 'uploads'])
      assert.equal((await get(`/?${query}`)).text, 'home', query)
    await server.admin.updateSettings({ body: { s3: { public_access: false } } })
    for (const name of ['www', 'none']) {
      const { status, headers } = await get('/', { host: `${name}.${DOMAIN}` })
      assert.deepEqual([status, headers['x-amz-error-code']], [403, 'AccessDenied'])
    }
    await server.admin.updateSettings({ body: { s3: { public_access: true } } })
  })

  itOnce('shares no origin with the console, the API or the S3 endpoint', async () => {
    const api = wireTo(new URL(server.running.url), () => server.clock.now())
    for (const path of ['/', '/console', '/api/v1/auth/token', '/healthz'])
      assert.equal((await api.send('GET', path, { host: `www.${DOMAIN}:8080` })).status, 404, path)
    const given = { SECRET_KEY: 'k'.repeat(64), PUBLIC_BASE_URL: 'https://console.example.com' }
    const cases: [env: Record<string, string>, isRefused: boolean][] = [
      [{ S3_WEBSITE_DOMAIN: 'example.com' }, true],
      [{ S3_WEBSITE_DOMAIN: 'console.example.com' }, true],
      [{ S3_WEBSITE_DOMAIN: 'sites.example.net', S3_DOMAIN: 's3.sites.example.net' }, true],
      [{ S3_WEBSITE_DOMAIN: 'web.s3.example.net', S3_DOMAIN: 's3.example.net' }, true],
      [{ S3_WEBSITE_DOMAIN: 'example.net', S3_HOSTS: 'minio.example.net:9000' }, true],
      [{ S3_WEBSITE_DOMAIN: 'example.net', S3_PUBLIC_URL: 'https://s3.example.net' }, true],
      [{ S3_WEBSITE_DOMAIN: 'example.net:9000' }, true],
      [{ S3_WEBSITE_DOMAIN: 'Sites.Example.net', S3_DOMAIN: 's3.example.net', S3_HOSTS: 's3.example.net' }, false],
    ]
    for (const [env, isRefused] of cases) {
      const read = () => readConfig({ ...given, ...env })
      if (isRefused) assert.throws(read, /S3_WEBSITE_DOMAIN/, JSON.stringify(env))
      else assert.deepEqual(read().s3.websiteDomains, ['sites.example.net'])
    }
  })

  itOnce('keeps to conditions, ranges and CORS', async () => {
    const { headers } = await get('/index.html')
    assert.equal((await get('/index.html', { headers: { 'if-none-match': headers.etag } })).status, 304)
    assert.equal((await get('/index.html', { headers: { 'if-match': '"x"' } })).status, 412)
    const part = await get('/index.html', { headers: { range: 'bytes=1-2' } })
    assert.deepEqual([part.status, part.text, part.headers['content-range']], [206, 'om', 'bytes 1-2/4'])
    const outside = await get('/index.html', { headers: { range: 'bytes=9-' } })
    assert.deepEqual([outside.status, outside.text, outside.headers['content-range']], [416, 'lost', 'bytes */4'])
    const rule = { AllowedOrigins: ['https://a.example'], AllowedMethods: ['GET'], MaxAgeSeconds: 9 }
    await s3.send(new PutBucketCorsCommand({ Bucket: 'www', CORSConfiguration: { CORSRules: [rule] } }))
    const origin = 'https://a.example'
    const asked = { origin, 'access-control-request-method': 'GET' }
    assert.equal((await get('/', { headers: { origin } })).headers['access-control-allow-origin'], origin)
    assert.equal((await get('/none', { headers: { origin } })).headers['access-control-allow-origin'], origin)
    const preflight = await get('/', { method: 'OPTIONS', headers: asked })
    assert.deepEqual([preflight.status, preflight.headers['access-control-max-age']], [200, '9'])
    assert.equal(
      (await get('/', { method: 'OPTIONS', headers: { ...asked, origin: 'https://b.example' } })).status,
      403,
    )
  })

  it('an object redirects where it says, and says so on every way in', async () => {
    const names: [key: string, to: string, location: string][] = [
      ['a', '/new', '/new'],
      ['b', 'https://example.com/x?y=z', 'https://example.com/x?y=z'],
      ['c', '/a "x"', '/a%20%22x%22'],
    ]
    for (const [key, to, location] of names) {
      await put('www', key, '', { WebsiteRedirectLocation: to })
      const { status, headers } = await get(`/${key}`)
      assert.deepEqual([status, headers.location], [301, location])
    }
    const told = async (Key: string) =>
      (await s3.send(new HeadObjectCommand({ Bucket: 'www', Key }))).WebsiteRedirectLocation
    const copy = (to: object, Key = 'copy') =>
      s3.send(new CopyObjectCommand({ Bucket: 'www', Key, CopySource: 'www/a', ...to }))
    await copy({})
    assert.equal(await told('copy'), undefined)
    await copy({ WebsiteRedirectLocation: '/other' })
    assert.equal(await told('copy'), '/other')
    await copy({ MetadataDirective: 'REPLACE', WebsiteRedirectLocation: '/third' })
    assert.equal(await told('copy'), '/third')
    await copy({ WebsiteRedirectLocation: '/itself' }, 'a')
    assert.equal(await told('a'), '/itself')
    for (const to of ['x', 'ftp://x', 'javascript:x', `/${'x'.repeat(2048)}`])
      assert.equal(await outcome(put('www', 'bad', '', { WebsiteRedirectLocation: to })), 'InvalidRedirectLocation')
    await assert.rejects(s3.send(new HeadObjectCommand({ Bucket: 'www', Key: 'bad' })))
  })

  // https://docs.aws.amazon.com/AmazonS3/latest/userguide/how-to-page-redirect.html, and the tests of Ceph that use it.
  itOnce('redirects by rules as in the examples of AWS', async () => {
    const own = `http://rules.${DOMAIN}`
    const ec2 = 'ec2-11-22-333-44.compute-1.amazonaws.com'
    const docs = { Condition: { KeyPrefixEquals: 'docs/' } }
    const cases: [rule: RoutingRule, path: string, status: number, location?: string][] = [
      [{ ...docs, Redirect: { ReplaceKeyPrefixWith: 'documents/' } }, '/docs/', 301, `${own}/documents/`],
      [
        { ...docs, Redirect: { ReplaceKeyPrefixWith: 'documents/' } },
        '/docs/a%20b?x=1',
        301,
        `${own}/documents/a%20b?x=1`,
      ],
      [{ ...docs, Redirect: { ReplaceKeyPrefixWith: 'documents/' } }, '/x', 404],
      [{ ...docs, Redirect: { ReplaceKeyPrefixWith: '' } }, '/docs/x', 301, `${own}/x`],
      [
        { ...docs, Redirect: { Protocol: 'https', HostName: 'xyzzy', ReplaceKeyPrefixWith: 'documents/' } },
        '/docs/x',
        301,
        'https://xyzzy/documents/x',
      ],
      [
        { Condition: { KeyPrefixEquals: 'images/' }, Redirect: { ReplaceKeyWith: 'folderdeleted.html' } },
        '/images/x',
        301,
        `${own}/folderdeleted.html`,
      ],
      ...(['301', '302', '303', '304', '305', '307', '308'] as const).map(
        (code): [RoutingRule, string, number, string] => [
          { Condition: { KeyPrefixEquals: 'images/' }, Redirect: { ReplaceKeyWith: 'f.html', HttpRedirectCode: code } },
          '/images/',
          Number(code),
          `${own}/f.html`,
        ],
      ),
      [
        {
          Condition: { HttpErrorCodeReturnedEquals: '404' },
          Redirect: { HostName: ec2, ReplaceKeyPrefixWith: 'report-404/' },
        },
        '/x',
        301,
        `http://${ec2}/report-404/x`,
      ],
      [
        {
          Condition: { HttpErrorCodeReturnedEquals: '404', KeyPrefixEquals: 'images/' },
          Redirect: { HostName: ec2, ReplaceKeyPrefixWith: 'report-404/' },
        },
        '/images/x',
        301,
        `http://${ec2}/report-404/x`,
      ],
      [
        {
          Condition: { HttpErrorCodeReturnedEquals: '404', KeyPrefixEquals: 'images/' },
          Redirect: { HostName: ec2, ReplaceKeyPrefixWith: 'report-404/' },
        },
        '/x',
        404,
      ],
      // Resizing on the fly, as AWS' own articles have it: the key becomes a parameter.
      [
        {
          Condition: { HttpErrorCodeReturnedEquals: '404' },
          Redirect: {
            HostName: 'api.example.com',
            Protocol: 'https',
            HttpRedirectCode: '307',
            ReplaceKeyPrefixWith: 'resize?key=',
          },
        },
        '/200x200/a&b.png?v=1',
        307,
        'https://api.example.com/resize?key=200x200/a%26b.png&v=1',
      ],
      [{ Redirect: { HostName: 'new.example.com' } }, '/index.html', 301, 'http://new.example.com/index.html'],
    ]
    await site('rules', { IndexDocument: RULES })
    await put('rules', 'index.html', 'home')
    const statement = { Effect: 'Allow', Principal: '*', Action: ['s3:GetObject', 's3:ListBucket'] }
    const Resource = ['arn:aws:s3:::rules', 'arn:aws:s3:::rules/*']
    const Policy = JSON.stringify({ Version: '2012-10-17', Statement: [{ ...statement, Resource }] })
    await s3.send(new PutBucketPolicyCommand({ Bucket: 'rules', Policy }))
    for (const [rule, path, status, location] of cases) {
      const WebsiteConfiguration = { IndexDocument: RULES, RoutingRules: [rule] }
      await s3.send(new PutBucketWebsiteCommand({ Bucket: 'rules', WebsiteConfiguration }))
      const kept = await s3.send(new GetBucketWebsiteCommand({ Bucket: 'rules' }))
      assert.deepEqual([kept.IndexDocument, kept.RoutingRules], [RULES, [rule]])
      const answer = await get(path, { host: `rules.${DOMAIN}` })
      assert.deepEqual([answer.status, answer.headers.location], [status, location], JSON.stringify([rule, path]))
    }
    await site(
      'all',
      { RedirectAllRequestsTo: { HostName: 'www.example.com', Protocol: 'https' } },
      { isPublic: false },
    )
    const moved = await get('/any/path?tracking=1', { host: `all.${DOMAIN}` })
    assert.deepEqual([moved.status, moved.headers.location], [301, 'https://www.example.com/any/path?tracking=1'])
  })

  itOnce('a missing document for errors is told below the error', async () => {
    await site('missing', { IndexDocument: RULES, ErrorDocument: { Key: '<b>.html' } })
    const { status, text } = await get('/%3Cscript%3E', { host: `missing.${DOMAIN}` })
    assert.equal(status, 403)
    assert.match(text, /<h3>An Error Occurred While Attempting to Retrieve a Custom Error Document<\/h3>/)
    assert.doesNotMatch(text, /<script>|<b>/)
  })

  it('is configured by those who manage the bucket, as documents of S3 are', async () => {
    const WebsiteConfiguration = { IndexDocument: RULES, ErrorDocument: { Key: 'e' } }
    await s3.send(new CreateBucketCommand({ Bucket: 'configured' }))
    await server.records([{ action: 'update_bucket', bucket: 'configured' }], () =>
      s3.send(new PutBucketWebsiteCommand({ Bucket: 'configured', WebsiteConfiguration })),
    )
    await server.records([], () => s3.send(new PutBucketWebsiteCommand({ Bucket: 'configured', WebsiteConfiguration })))
    const reader = world.clientOf(
      await world.keyOf(await server.userWith({ bucket_pattern: 'configured', actions: ['read', 'write'] })),
    )
    assert.equal(await outcome(reader.send(new DeleteBucketWebsiteCommand({ Bucket: 'configured' }))), 'AccessDenied')
    assert.equal((await reader.send(new GetBucketWebsiteCommand({ Bucket: 'configured' }))).ErrorDocument?.Key, 'e')
    const faults: [website: string, code: string][] = [
      ['<IndexDocument><Suffix></Suffix></IndexDocument>', 'InvalidArgument'],
      ['<IndexDocument><Suffix>a/b</Suffix></IndexDocument>', 'InvalidArgument'],
      ['<ErrorDocument><Key>e</Key></ErrorDocument>', 'InvalidArgument'],
      [`${INDEX}<ErrorDocument><Key></Key></ErrorDocument>`, 'InvalidArgument'],
      [`${INDEX}<RedirectAllRequestsTo><HostName>h</HostName></RedirectAllRequestsTo>`, 'InvalidArgument'],
      ['<RedirectAllRequestsTo/>', 'MalformedXML'],
      [
        '<RedirectAllRequestsTo><HostName>h</HostName><Protocol>ftp</Protocol></RedirectAllRequestsTo>',
        'InvalidRequest',
      ],
      [rules('<Redirect><Protocol>http2</Protocol></Redirect>'), 'InvalidRequest'],
      [rules('<Condition/><Redirect><HostName>h</HostName></Redirect>'), 'InvalidRequest'],
      [rules('<Redirect/>'), 'MalformedXML'],
      [rules('<Other/>'), 'MalformedXML'],
      [
        rules('<Redirect><ReplaceKeyWith>a</ReplaceKeyWith><ReplaceKeyPrefixWith>b</ReplaceKeyPrefixWith></Redirect>'),
        'InvalidRequest',
      ],
      ...['300', '306', '309', '399'].map((code): [string, string] => [
        rules(redirect('HttpRedirectCode', code)),
        'InvalidRequest',
      ]),
      [rules(redirect('HttpRedirectCode', '3xx')), 'MalformedXML'],
      ...['399', '418', '506'].map((code): [string, string] => [
        rules(
          `<Condition><HttpErrorCodeReturnedEquals>${code}</HttpErrorCodeReturnedEquals></Condition><Redirect><HostName>h</HostName></Redirect>`,
        ),
        'InvalidRequest',
      ]),
      ...['a b', 'a@b', 'a\\b', 'h#x', 'h?x', '//h', 'h:x', '-h'].map((host): [string, string] => [
        rules(redirect('HostName', host)),
        'InvalidRequest',
      ]),
      [
        `${INDEX}<RoutingRules>${'<RoutingRule><Redirect><HostName>h</HostName></Redirect></RoutingRule>'.repeat(51)}</RoutingRules>`,
        'InvalidRequest',
      ],
      [`${INDEX}<!--${'x'.repeat(131_072)}-->`, 'MaxMessageLengthExceeded'],
    ]
    const pair = await world.keyOf()
    const path = '/configured?website'
    await server.records([], async () => {
      for (const [website, code] of faults) {
        const body = `<WebsiteConfiguration>${website}</WebsiteConfiguration>`
        const headers = await world.signed(pair, { method: 'PUT', path, body })
        assert.equal((await world.send('PUT', path, headers, body)).code, code, website.slice(0, 200))
      }
    })
    await server.records([{ action: 'update_bucket', bucket: 'configured' }], () =>
      s3.send(new DeleteBucketWebsiteCommand({ Bucket: 'configured' })),
    )
    const gone = outcome(s3.send(new GetBucketWebsiteCommand({ Bucket: 'configured' })))
    assert.equal(await gone, 'NoSuchWebsiteConfiguration')
    assert.equal(
      (await get('/', { host: `configured.${DOMAIN}` })).headers['x-amz-error-code'],
      'NoSuchWebsiteConfiguration',
    )
  })

  itOnce('whatever a rule and a visitor say, a Location is one URL of the rule’s host, and means the key', () => {
    const text = fc.string({ unit: 'binary', maxLength: 20 })
    const hosts = fc.constantFrom('h.example', 'h.example:8080', 'h.example/p')
    const visit = fc.record({ key: text, query: fc.string({ unit: 'binary-ascii', maxLength: 20 }) })
    const from = { bucket: 'b', host: `b.${DOMAIN}:9000`, scheme: 'http' as const }
    fc.assert(
      fc.property(visit, text, hosts, fc.nat(20), ({ key, query }, written, host, length) => {
        const key_prefix = key.slice(0, length)
        for (const redirect of [
          { replace_key_prefix: written },
          { replace_key: written },
          { host },
          { protocol: 'https' as const },
        ]) {
          const location = locationBy({ condition: { key_prefix }, redirect }, { ...from, key, query })
          assert.match(location, /^[\x21-\x7e]*$/)
          const own = 'protocol' in redirect ? `b.${DOMAIN}` : from.host
          assert.equal(new URL(location).host, 'host' in redirect ? host.replace('/p', '') : own)
        }
        const { pathname } = new URL(locationElsewhere({ host: 'h.example' }, { ...from, key, query: '' }))
        // A URL's parser resolves segments of dots, as browsers do.
        if (!/(^|\/)\.{1,2}(\/|$)/.test(key)) assert.equal(decodeURIComponent(pathname), `/${key.toWellFormed()}`)
        if (key === '') return
        const folder = new URL(locationOfFolder({ ...from, key, query }), `http://${from.host}/x`)
        assert.equal(folder.host, from.host)
      }),
    )
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (host) => {
        const found = siteOf(host, [DOMAIN])
        assert.ok(found === null || /^[a-z0-9._~-]+(:\d+)?$/.test(found.host))
      }),
    )
  })
})

it('a host names a website with an empty port, capitals or a final dot, too', () => {
  for (const [given, bucket, host] of [
    ['docs.sites.example.net', 'docs', 'docs.sites.example.net'],
    ['docs.sites.example.net:', 'docs', 'docs.sites.example.net'],
    ['Docs.Sites.Example.Net.:', 'docs', 'docs.sites.example.net'],
    ['docs.sites.example.net.:9000', 'docs', 'docs.sites.example.net:9000'],
    ['do~cs.sites.example.net', 'do~cs', 'do~cs.sites.example.net'],
    ['sites.example.net:', 'sites.example.net', 'sites.example.net'],
  ] as const)
    assert.deepEqual(siteOf(given, [DOMAIN, 'example.net']), { bucket, host }, given)
  for (const other of ['docs-sites.example.net', '[::1]:80', '', 'a/b.sites.example.net'])
    assert.equal(siteOf(other, [DOMAIN]), null, other)
})

const INDEX = '<IndexDocument><Suffix>i</Suffix></IndexDocument>'
const rules = (rule: string) => `${INDEX}<RoutingRules><RoutingRule>${rule}</RoutingRule></RoutingRules>`
const redirect = (name: string, value: string) =>
  `<Redirect><ReplaceKeyWith>k</ReplaceKeyWith><${name}>${value}</${name}></Redirect>`
