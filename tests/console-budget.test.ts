// What the console makes a browser fetch before it shows a view stays small.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { weigh } from '../scripts/console-budget.ts'

const manifest = path.join(path.dirname(import.meta.dirname), 'console/dist/.vite/manifest.json')

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
