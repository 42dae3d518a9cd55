import fs from 'node:fs'
import path from 'node:path'
import { openapi } from '../server/http/openapi.ts'
import { variables } from '../server/variables.ts'

/** Writes the documents that the code is the source of; with `--check` it only says whether they are up to date. */
const root = path.dirname(import.meta.dirname)

/** docs/configuration.md: every variable with its default. */
export function configuration(): string {
  const rows = Object.entries(variables).map(([name, { summary, default: value }]) => {
    const shown = value === null ? 'required' : value === '' ? '' : `\`${value}\``
    return `| \`${name}\` | ${shown} | ${summary.replaceAll('|', '\\|')} |`
  })
  return [
    '# Configuration',
    '',
    'Everything is set by environment variables, read once at start. All faults are listed at once and nothing starts',
    'until they are mended. This page is generated from `server/variables.ts` by `npm run docs`.',
    '',
    '| variable | default | meaning |',
    '|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}

export const documents = {
  'docs/configuration.md': configuration(),
  'docs/openapi.json': `${JSON.stringify(openapi('http://127.0.0.1:8080'), null, 2)}\n`,
}

if (import.meta.main) {
  for (const [file, text] of Object.entries(documents)) {
    const target = path.join(root, file)
    const current = fs.existsSync(target) ? fs.readFileSync(target, 'utf8') : ''
    if (current === text) continue
    if (process.argv.includes('--check')) {
      process.stderr.write(`${file} is not what the code says: run npm run docs\n`)
      process.exitCode = 1
    } else fs.writeFileSync(target, text)
  }
}
