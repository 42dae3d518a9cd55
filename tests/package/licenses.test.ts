import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { currentModules, isAllowed, modulesOf, notices } from '../../scripts/licenses.ts'

const root = path.join(import.meta.dirname, '../..')

test('every package that is shipped or installed has an allowed license', () => {
  const modules = currentModules()
  const text = notices(modules)
  const { dependencies } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'))
  const names = new Set(modules.map(({ name }) => name))
  for (const name of Object.keys(dependencies)) assert.ok(names.has(name), name)
  for (const { name, version } of modules) assert.ok(text.includes(`${name} ${version} (`), name)
  assert.ok(!names.has('typescript') && !names.has('playwright-core'), 'development tools are not shipped')
})

test('what the console and the documentation contain is listed', (t) => {
  const lists = ['console/dist', 'console/link/dist', 'site/dist'].map((build) =>
    path.join(root, build, '.vite/packages.json'),
  )
  const found = lists.filter((file) => fs.existsSync(file))
  if (found.length === 0) return t.skip('neither is built (npm run build)')
  const names = new Set(currentModules().map(({ name }) => name))
  const built = found.flatMap((file) => JSON.parse(fs.readFileSync(file, 'utf8')) as string[])
  for (const name of built) assert.ok(names.has(name), name)
  if (fs.existsSync(lists[0] as string)) {
    for (const name of ['react', 'react-dom', '@mantine/core', '@fontsource-variable/inter'])
      assert.ok(built.includes(name), name)
    assert.match(notices(currentModules()), /SIL OPEN FONT LICENSE/)
  }
})

test('a license that is not allowed is refused by name', () => {
  const module = (name: string, license: string) => ({ name, version: '1.0.0', license })
  assert.throws(() => notices([module('fine', 'MIT'), module('viral', 'AGPL-3.0-only'), module('silent', '')]), {
    message: 'Not allowed by scripts/licenses.ts:\nviral@1.0.0: AGPL-3.0-only\nsilent@1.0.0: no license',
  })
  assert.ok(isAllowed('a', '(MPL-2.0 OR Apache-2.0)') && isAllowed('a', 'MIT AND ISC'))
  assert.ok(!isAllowed('a', 'MIT AND GPL-3.0-only') && !isAllowed('a', 'MPL-2.0 OR GPL-2.0-only'))
  assert.ok(isAllowed('@img/sharp-libvips-linux-x64', 'LGPL-3.0-or-later'))
  assert.ok(!isAllowed('libvips', 'LGPL-3.0-or-later'), 'the exception is for one package')
})

test('development packages count only if a build contains them or is copied whole', () => {
  const packages = {
    '': {},
    'node_modules/kept': { version: '1.0.0', license: 'MIT' },
    'node_modules/tool': { version: '1.0.0', license: 'GPL-3.0', dev: true },
    'node_modules/react': { version: '19.0.0', license: 'MIT', dev: true },
    'node_modules/redoc': { version: '2.0.0', license: 'MIT', dev: true, dependencies: { inner: '1', outer: '1' } },
    'node_modules/redoc/node_modules/inner': { version: '1.0.0', license: 'MIT', dev: true },
    'node_modules/inner': { version: '2.0.0', license: 'MIT', dev: true },
    'node_modules/outer': { version: '1.0.0', license: 'MIT', dev: true, dependencies: { redoc: '2' } },
  }
  const names = modulesOf(packages, ['react']).map(({ name, version }) => `${name} ${version}`)
  assert.deepEqual(names, ['inner 1.0.0', 'kept 1.0.0', 'outer 1.0.0', 'react 19.0.0', 'redoc 2.0.0'])
  assert.throws(() => modulesOf(packages, ['preact']), /preact, which is not in package-lock\.json/)
})
