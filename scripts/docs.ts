import fs from 'node:fs'
import path from 'node:path'
import { Configuration } from '../contract/configuration.ts'
import { bodySchema, eventNames, events } from '../contract/events.ts'
import { SECRET_FIELDS } from '../contract/names.ts'
import { type Variable, variables } from '../server/config/variables.ts'
import { openapi } from '../server/fronts/api/openapi.ts'
import { backupMetrics } from '../server/observe/backup-metrics.ts'
import { eventMetrics, poolMetrics, probeMetrics, snapshotMetrics } from '../server/observe/instruments.ts'
import { queueMetrics } from '../server/observe/shared-metrics.ts'
import { clientOperations, clientRoutes } from './client.ts'
import { parityPage } from './s3-parity.ts'

/** Writes the generated documents; with `--check` it only reports whether they are up to date. */
const root = path.dirname(import.meta.dirname)

/** docs/configuration.md: every variable with its default. */
export function configuration(): string {
  const rows = Object.entries<Variable>(variables).map(([name, { summary, secret, default: value }]) => {
    const shown = value === null ? 'required' : value === '' ? '' : `\`${value}\``
    const named = secret ? `\`${name}\`, \`${name}_FILE\`` : `\`${name}\``
    return `| ${named} | ${shown} | ${summary.replaceAll('|', '\\|')} |`
  })
  return [
    '# Configuration',
    '',
    'Strongroom reads its configuration from environment variables, once, at start. It lists all invalid values together',
    'and does not start until they are fixed. This page is generated from `server/config/variables.ts` by `npm run docs`.',
    '',
    'A secret can be in a file, such as a mounted Docker or Kubernetes secret: `SECRET_KEY_FILE=/run/secrets/key` instead of',
    '`SECRET_KEY`. Setting both is an error.',
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
    'The events that endpoints can subscribe to, with the JSON Schema of `details`. `GET /api/v1/webhooks/events` has the',
    'schemas of whole bodies. Fields may be added but are never removed. This page is generated from `contract/events.ts`',
    'by `npm run docs`.',
    '',
    ...parts,
  ].join('\n')
}

/** docs/metrics.md: all our own metrics. */
export function metricsPage(): string {
  const tables = [
    ['Counted per process since its start', eventMetrics],
    ['Read on request', snapshotMetrics],
    ['Read on request, PostgreSQL only', poolMetrics],
    ['Read on request, with BACKUP_URL only', backupMetrics],
    ['About the service, from the process that answers', probeMetrics],
    ['Queues that all processes share; missing while the database is unavailable', queueMetrics],
  ] as const
  const parts = tables.flatMap(([title, table]) => [
    `## ${title}`,
    '',
    '| metric | type | labels | meaning |',
    '|---|---|---|---|',
    ...Object.entries<{ type: string; help: string; labels?: readonly string[] }>(table).map(
      ([name, { type, help, labels = [] }]) =>
        `| \`${name}\` | ${type} | ${labels.map((one) => `\`${one}\``).join(', ')} | ${help} |`,
    ),
    '',
  ])
  return [
    '# Metrics',
    '',
    'The metrics in `/metrics`, in addition to `process_…` and `nodejs_…` from prom-client. How to scrape them and what to watch:',
    '[observability.md](observability.md). This page is generated from `server/observe/` by `npm run docs`.',
    '',
    ...parts,
  ].join('\n')
}

/** docs/configuration.schema.json: what a configuration file may have, for editors. Secrets are where they say they are. */
export function configurationSchema(): object {
  const schema = JSON.parse(JSON.stringify(Configuration))
  const where = (name: string) => ({
    type: 'object',
    properties: { [name]: { type: 'string', minLength: 1 } },
    required: [name],
    additionalProperties: false,
  })
  const secret = { anyOf: [where('env'), where('file'), { type: 'null' }] }
  for (const [kind, fields] of Object.entries(SECRET_FIELDS)) {
    const [, section] = kind.split('.')
    const { properties } = section ? schema.properties.settings.properties[section] : schema.properties[kind].items
    for (const field of fields) {
      const { description } = properties[field]
      properties[field] = { ...secret, ...(description && { description }) }
    }
  }
  return { $schema: 'http://json-schema.org/draft-07/schema#', title: 'Strongroom configuration file', ...schema }
}

/** JSON with values on one line if they are short, or contain only texts, numbers and flags. */
function jsonPage(value: unknown, indent = ''): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const line = jsonLine(value)
  const isFlat = Object.values(value).every((one) => typeof one !== 'object')
  if (isFlat || indent.length + line.length <= LONGEST_LINE) return line
  const inner = `${indent}  `
  const lines = Array.isArray(value)
    ? value.map((item) => jsonPage(item, inner))
    : Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}: ${jsonPage(one, inner)}`)
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  return `${open}\n${inner}${lines.join(`,\n${inner}`)}\n${indent}${close}`
}
function jsonLine(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(jsonLine).join(', ')}]`
  const members = Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}: ${jsonLine(one)}`)
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}
const LONGEST_LINE = 140

export const documents = {
  'docs/metrics.md': metricsPage(),
  'client/operations.ts': clientOperations(),
  'client/routes.ts': clientRoutes(),
  'docs/webhook-events.md': webhookEvents(),
  'docs/configuration.md': configuration(),
  'docs/s3-operations.md': await parityPage(),
  'docs/configuration.schema.json': `${jsonPage(configurationSchema())}\n`,
  'docs/openapi.json': `${jsonPage(openapi('http://127.0.0.1:8080'))}\n`,
}

if (import.meta.main) {
  for (const [file, text] of Object.entries(documents)) {
    const target = path.join(root, file)
    const current = fs.existsSync(target) ? fs.readFileSync(target, 'utf8') : ''
    if (current === text) continue
    if (process.argv.includes('--check')) {
      process.stderr.write(`${file} is out of date: run npm run docs\n`)
      process.exitCode = 1
    } else fs.writeFileSync(target, text)
  }
}
