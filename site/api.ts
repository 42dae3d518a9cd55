/** The pages of the API reference, one for each tag of the OpenAPI document. */

interface Schema {
  $ref?: string
  type?: string | string[]
  format?: string
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  description?: string
  default?: unknown
}
interface Parameter {
  $ref?: string
  name: string
  in: string
  required?: boolean
  description?: string
  schema?: Schema
}
interface Body {
  $ref?: string
  description?: string
  content?: Record<string, { schema?: Schema }>
}
interface Operation {
  operationId: string
  tags?: string[]
  summary?: string
  description?: string
  parameters?: Parameter[]
  requestBody?: Body
  responses?: Record<string, Body>
}
export interface Document {
  info: { title: string; description?: string }
  tags?: { name: string; description?: string }[]
  paths: Record<string, Record<string, Operation>>
  components: Record<string, Record<string, object>>
}

/** `[file name, Markdown]` of the overview and of each tag. */
export function apiPages(document: Document): [string, string][] {
  const tags = document.tags ?? []
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
  const isIn = (tag: string) => operations.filter(({ operation }) => operation.tags?.includes(tag))
  const index = [
    '# API reference',
    '',
    document.info.description ?? '',
    '',
    'A running service has the same reference with requests to try, at `/docs`, and the document at `/openapi.json`.',
    '',
    ...tags.flatMap(({ name, description = '' }) => [
      `## ${name}`,
      '',
      `${description} [Details](${name}.md)`,
      '',
      '| | | |',
      '|---|---|---|',
      ...isIn(name).map(
        ({ path, method, operation }) =>
          `| \`${method}\` | \`${path}\` | [${operation.summary}](${name}.md#${operation.operationId.toLowerCase()}) |`,
      ),
      '',
    ]),
  ]
  const pages = tags.map(({ name, description = '' }): [string, string] => [
    `${name}.md`,
    [
      `# API: ${name}`,
      '',
      description,
      '',
      ...isIn(name).flatMap(({ path, method, operation }) => operationLines(document, path, method, operation)),
    ].join('\n'),
  ])
  return [['index.md', index.join('\n')], ...pages]
}

function operationLines(document: Document, path: string, method: string, operation: Operation): string[] {
  const parameters = (operation.parameters ?? []).map((one) => resolve<Parameter>(document, one))
  const body = operation.requestBody && resolve<Body>(document, operation.requestBody)
  const lines = [
    `## ${operation.operationId}`,
    '',
    `\`${method} ${path}\``,
    '',
    `${operation.summary ?? ''}.`,
    '',
    ...(operation.description ? [operation.description, ''] : []),
  ]
  if (parameters.length > 0)
    lines.push(
      '| parameter | in | type | meaning |',
      '|---|---|---|---|',
      ...parameters.map(
        ({ name, in: place, required, description = '', schema = {} }) =>
          `| \`${name}\`${required ? ' (required)' : ''} | ${place} | ${typeOf(document, schema)} | ${cell(description)} |`,
      ),
      '',
    )
  for (const [type, { schema = {} }] of Object.entries(body?.content ?? {}))
    lines.push(...shapeLines(document, `Body, \`${type}\``, schema))
  for (const [status, response] of Object.entries(operation.responses ?? {}).filter(([code]) => code < '400')) {
    const [type, content] = Object.entries(resolve<Body>(document, response).content ?? {})[0] ?? []
    if (content?.schema) lines.push(...shapeLines(document, `${status}, \`${type}\``, content.schema))
    else lines.push(`${status}${type ? `, \`${type}\`` : ', without a body'}.`, '')
  }
  const errors = Object.entries(operation.responses ?? {}).filter(([code]) => code >= '400')
  if (errors.length > 0) lines.push(`Errors: ${errors.map(([code, one]) => errorOf(code, one)).join(', ')}.`, '')
  return lines
}

/** `409 read_only`: the name under which the document lists the response is the problem's code. */
function errorOf(status: string, { $ref = '' }: Body): string {
  const code = $ref.split('/').at(-1)
  return code ? `${status} \`${code}\`` : status
}

/** A table of an object's fields, or one line that names the type of anything else. */
function shapeLines(document: Document, title: string, schema: Schema): string[] {
  const shape = resolve<Schema>(document, schema)
  const name = schema.$ref ? ` (\`${schema.$ref.split('/').at(-1)}\`)` : ''
  const fields = Object.entries(shape.properties ?? {})
  if (fields.length === 0) return [`${title}: ${typeOf(document, schema)}.`, '']
  return [
    `${title}${name}:`,
    '',
    '| field | type | meaning |',
    '|---|---|---|',
    ...fields.map(([field, one]) => {
      const { description = one.description ?? '' } = resolve<Schema>(document, one)
      const isOptional = shape.required?.includes(field) === false || !shape.required
      return `| \`${field}\`${isOptional ? ' (optional)' : ''} | ${typeOf(document, one)} | ${cell(description)} |`
    }),
    '',
  ]
}

const MOST_VALUES = 12

/** A type in a few words; named shapes by their name. */
function typeOf(document: Document, schema: Schema): string {
  if (schema.$ref) return `\`${schema.$ref.split('/').at(-1)}\``
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return [...new Set(choices.map((one) => typeOf(document, one)))].join(' or ')
  if (schema.allOf) return schema.allOf.map((one) => typeOf(document, one)).join(' and ')
  if (schema.enum) {
    const shown = schema.enum.slice(0, MOST_VALUES).map((value) => `\`${value}\``)
    return shown.join(', ') + (schema.enum.length > MOST_VALUES ? ', …' : '')
  }
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``
  if (schema.type === 'array') return `array of ${typeOf(document, schema.items ?? {})}`
  const type = Array.isArray(schema.type) ? schema.type.join(' or ') : (schema.type ?? 'any')
  return schema.format ? `${type} (${schema.format})` : type
}

/** What a reference points to, followed through references to references. */
function resolve<T extends { $ref?: string }>(document: Document, value: T): T {
  let found: T = value
  for (let depth = 0; found.$ref && depth < 10; depth++) {
    const [, , kind = '', name = ''] = found.$ref.split('/')
    const next = document.components[kind]?.[decodeURIComponent(name)]
    if (!next) throw new Error(`The document has no ${found.$ref}.`)
    found = next as T
  }
  return found
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')
