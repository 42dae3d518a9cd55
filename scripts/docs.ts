import fs from 'node:fs'
import path from 'node:path'
import { bodySchema, eventNames, events } from '../contract/events.ts'
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

/** docs/webhook-events.md: every event with the fields of its details. */
export function webhookEvents(): string {
  const parts = eventNames.flatMap((name) => [
    `## ${name}`,
    '',
    events[name].summary,
    '',
    '```json',
    JSON.stringify(bodySchema(name).properties.details.anyOf[0], null, 2),
    '```',
    '',
  ])
  return [
    '# Webhook events',
    '',
    'What endpoints can subscribe to, with the JSON Schema of `details`. The whole bodies: `GET /api/v1/webhooks/events`.',
    'Fields may be added, none is taken away. This page is generated from `contract/events.ts` by `npm run docs`.',
    '',
    ...parts,
  ].join('\n')
}

export const documents = {
  'docs/webhook-events.md': webhookEvents(),
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
