// What the console makes a browser fetch before it shows a view stays small.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { weigh, weighLink } from '../../scripts/console-budget.ts'

const manifest = path.join(path.join(import.meta.dirname, '../..'), 'console/dist/.vite/manifest.json')

test('the views of the console keep their budgets', {
  skip: !fs.existsSync(manifest) && 'the console is not built (npm run build)',
}, () => {
  const { weights, font, mostFont } = weigh()
  for (const { route, js, css, mostJs, mostCss } of weights) {
    assert.ok(js > 50 && css > 5, `${route} was weighed`)
    assert.ok(js <= mostJs, `${route}: ${js.toFixed(1)} kB of scripts, ${mostJs} at most`)
    assert.ok(css <= mostCss, `${route}: ${css.toFixed(1)} kB of styles, ${mostCss} at most`)
  }
  assert.ok(font <= mostFont, `${font.toFixed(1)} kB of font, ${mostFont} at most`)
})

test('the pages of share links keep their budget, and have nothing of the console’s components', {
  skip:
    !fs.existsSync(path.join(import.meta.dirname, '../../console/link/dist')) && 'they are not built (npm run build)',
}, () => {
  const { all, most } = weighLink()
  assert.ok(all > 10, 'they were weighed')
  assert.ok(all <= most, `${all.toFixed(1)} kB before the first view, ${most} at most`)
  const list = path.join(import.meta.dirname, '../../console/link/dist/.vite/packages.json')
  assert.deepEqual(JSON.parse(fs.readFileSync(list, 'utf8')), ['preact'])
})

test('every component of Mantine in use comes with its styles', () => {
  const root = path.join(import.meta.dirname, '../..')
  const styles = path.join(root, 'node_modules/@mantine/core/styles')
  const imported = (text: string) => [...text.matchAll(/@mantine\/core\/styles\/(\w+)\.css/g)].map(([, name]) => name)
  const everywhere = new Set(imported(fs.readFileSync(path.join(root, 'console/src/mantine.css'), 'utf8')))
  const bare: string[] = []
  for (const file of fs.globSync('console/src/**/*.tsx', { cwd: root })) {
    const text = fs.readFileSync(path.join(root, file), 'utf8')
    const names = text.match(/import \{([^}]*)\} from '@mantine\/core'/)?.[1]?.split(',') ?? []
    for (const name of names.map((one) => one.trim())) {
      if (!fs.existsSync(path.join(styles, `${name}.css`))) continue
      if (!everywhere.has(name) && !imported(text).includes(name)) bare.push(`${file}: ${name}`)
    }
  }
  assert.deepEqual(bare, [])
})
