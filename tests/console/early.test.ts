// What the page asks for before its script has arrived is what the script then needs.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { urlOf } from '../../client/send.ts'
import { CONFIG, keepEarly, ME, REFRESH, takeEarly } from '../../console/src/api/early.ts'
import { api } from '../../contract/index.ts'

const root = path.join(import.meta.dirname, '../..')
const dist = path.join(root, 'console/dist')

test('early requests are those that the client sends', () => {
  assert.equal(CONFIG, urlOf('', api.authConfig, {}))
  assert.equal(REFRESH, urlOf('', api.refresh, { query: { session: 'cookie' } }))
  assert.equal(ME, urlOf('', api.me, {}))
  assert.deepEqual(
    [api.authConfig, api.refresh, api.me].map(({ method }) => method),
    ['GET', 'POST', 'GET'],
  )
})

test('every view that needs no session is known to the script in the head', () => {
  const source = fs.readFileSync(path.join(root, 'console/src/early.ts'), 'utf8')
  const [, listed = ''] = /ALONE = \/\^\\\/\(([^)]+)\)/.exec(source) ?? []
  const known = listed.split('|').map((one) => `/${one.replaceAll('\\', '')}`)
  const open = fs.globSync('console/src/features/*/views.ts', { cwd: root }).flatMap((file) => {
    const text = fs.readFileSync(path.join(root, file), 'utf8')
    return [...text.matchAll(/path: '([^']+)'.*open: true/g)].map(([, found]) => found)
  })
  const router = fs.readFileSync(path.join(root, 'console/src/router.tsx'), 'utf8')
  const states = [...router.matchAll(/^ {2}page\('([^']+)', \w+\)/gm)].map(([, found]) => found)
  assert.ok(open.length > 5 && states.length === 3)
  assert.deepEqual(['/login', ...known].toSorted(), [...open, ...states].toSorted())
})

test('an early answer is taken once', async () => {
  keepEarly('GET', '/one', Promise.resolve(new Response('first')))
  assert.equal(takeEarly('POST', '/one'), undefined)
  assert.equal(await (await takeEarly('GET', '/one'))?.text(), 'first')
  assert.equal(takeEarly('GET', '/one'), undefined)
})

test('the page names the files of its frame, its first views and its languages', {
  skip: !fs.existsSync(path.join(dist, 'index.html')) && 'the console is not built (npm run build)',
}, () => {
  const page = fs.readFileSync(path.join(dist, 'index.html'), 'utf8')
  const [, text = '{}'] = /earlyFiles=(\{.*?\}\});/.exec(page) ?? []
  const { languages, ...views } = JSON.parse(text) as Record<string, readonly string[]> & { languages: object }
  assert.deepEqual(Object.keys(views), ['frame', 'home', 'browse'])
  assert.deepEqual(Object.keys(languages).toSorted(), ['de', 'es', 'fr', 'ja', 'zh-CN'])
  for (const files of Object.values(views)) {
    assert.ok(files.length > 0)
    for (const file of files) assert.ok(fs.existsSync(path.join(dist, file)), file)
  }
  for (const file of Object.values(languages)) assert.ok(fs.existsSync(path.join(dist, file)), file)
})
