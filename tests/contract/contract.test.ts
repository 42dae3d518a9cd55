import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { it } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv } from 'ajv'
import { sessionQuery } from '../../contract/auth.ts'
import { errors } from '../../contract/errors.ts'
import { api } from '../../contract/index.ts'
import { pathTemplate, type RouteSpec, rateOf } from '../../contract/route.ts'
import { documents } from '../../scripts/docs.ts'
import { handlers } from '../../server/fronts/api/app.ts'
import { openapi } from '../../server/fronts/api/openapi.ts'
import { resolved } from '../support/openapi.ts'

const routes = Object.entries<RouteSpec>(api)

it('every operation of the contract has one handler, and every handler an operation', () => {
  for (const [name, route] of routes)
    assert.equal(handlers.filter((handler) => handler.route === route).length, 1, name)
  assert.equal(handlers.length, routes.length)
  const places = routes.map(([, route]) => `${route.method} ${pathTemplate(route)}`)
  assert.equal(new Set(places).size, places.length)
})

/** They change nothing users can see: they ask, prepare, or give up what was never visible; a job's objects record. */
const recordsNothing = [
  'unlockShare',
  'archiveShare',
  'archiveShareAtRoot',
  'beginSharedUpload',
  'putSharedPart',
  'abortSharedUpload',
  'testIdp',
  'testMail',
  'testNewStorage',
  'testStorage',
  'objectsExist',
  'sizeFolders',
  'archiveSelection',
  'presignObject',
  'initUpload',
  'abortUpload',
  'putPart',
  'cancelJob',
  'restorePolicyRun',
  'previewPolicy',
  'describePolicy',
  'simulatePermission',
  'beginLoginEnrollment',
  'beginPasskeyLogin',
  'challengeSecondFactor',
  'beginSecondFactor',
  'receiveEvents',
  'startScan',
  'takeOverBucket',
  'verifyReplication',
  'readAuthorization',
]

it('every mutating operation names the actions it records', () => {
  const source = fs.readFileSync(path.join(import.meta.dirname, '../../contract/actions.ts'), 'utf8')
  for (const [name, route] of routes) {
    if (['GET', 'HEAD'].includes(route.method)) {
      assert.equal(route.records, undefined, name)
      continue
    }
    assert.ok(route.records, `${name} does not say what it records`)
    assert.equal(route.records.length === 0, recordsNothing.includes(name), name)
    for (const action of route.records) assert.match(source, new RegExp(`^  ${action}: `, 'm'))
  }
})

it('every tag is described: the pages show them in that order', () => {
  const described = new Set((openapi('http://localhost') as { tags: { name: string }[] }).tags.map(({ name }) => name))
  for (const [name, { tag }] of routes) assert.ok(described.has(tag), `${name}: ${tag}`)
})

it('every accepted number is bounded: one that no database can hold is rejected', () => {
  const endless: string[] = []
  const look = (schema: unknown, at: string) => {
    if (typeof schema !== 'object' || schema === null) return
    const { type, maximum } = schema as { type?: unknown; maximum?: number }
    if ((type === 'integer' || type === 'number') && !(Number(maximum) <= Number.MAX_SAFE_INTEGER)) endless.push(at)
    for (const [name, one] of Object.entries(schema)) look(one, `${at}.${name}`)
  }
  for (const [name, { params, query, body }] of routes) look({ params, query, body }, name)
  assert.deepEqual(endless, [])
})

it('every shape is one by JSON Schema, which the service takes for granted', () => {
  const ajv = new Ajv()
  for (const [name, { params, query, headers, body, reply }] of routes)
    for (const shape of [params, query, headers, body, reply])
      if (shape) assert.ok(ajv.validateSchema(shape), `${name}: ${ajv.errorsText()}`)
})

interface Described {
  operationId: string
  parameters: { name: string; in: string; schema: object }[]
  requestBody?: { content: Content }
  responses: { [status: string]: { content?: Content } }
}
interface Content {
  [media: string]: { schema: object }
}
function described() {
  const document = openapi('http://localhost')
  const paths = resolved(document.paths, document)
  const operationOf = (route: RouteSpec) =>
    paths[pathTemplate(route)]?.[route.method.toLowerCase()] as unknown as Described
  return { document, operationOf }
}

it('the OpenAPI document has every operation with its parameters and statuses', () => {
  const { document, operationOf } = described()
  for (const [name, route] of routes) {
    const operation = operationOf(route)
    assert.equal(operation.operationId, name)
    for (const status of [route.status, ...(route.otherStatus ?? [])])
      assert.ok(operation.responses[status], `${name} ${status}`)
    const placeholders = [...pathTemplate(route).matchAll(/\{(\w+)\}/g)].map(([, one]) => one)
    assert.deepEqual(
      operation.parameters.filter((one) => one.in === 'path').map((one) => one.name),
      placeholders,
      name,
    )
  }
  assert.ok(document.components.schemas.Problem)
})

it('the OpenAPI document has every status that a request can be answered with, whatever it asks for', () => {
  const { operationOf } = described()
  const missing: string[] = []
  for (const [name, route] of routes) {
    const expected = [
      // Broken encodings, unknown parameters, and long ones.
      400,
      422,
      431,
      ...(route.access === 'public' ? [] : [401, 403, 429]),
      // Sessions with a cookie are refused to other origins.
      ...(route.query === sessionQuery ? [403] : []),
      ...(rateOf(route) === 'none' ? [] : [429]),
      ...(route.body && route.consumes !== 'bytes' ? [413, 415] : []),
      ...(route.errors ?? []).map((code) => errors[code].status),
    ]
    const { responses } = operationOf(route)
    missing.push(...expected.filter((status) => !responses[status]).map((status) => `${name} ${status}`))
  }
  assert.deepEqual(missing, [])
})

it('the OpenAPI document has a media type for every response that has a body', () => {
  const { operationOf } = described()
  const none = [204, 303, 304, 307]
  for (const [name, route] of routes) {
    if (route.method === 'HEAD') continue
    for (const [status, { content }] of Object.entries(operationOf(route).responses)) {
      const media = Object.keys(content ?? {})
      const isError =
        Number(status) >= 400 && status !== String(route.status) && !route.otherStatus?.includes(Number(status))
      if (isError) assert.deepEqual(media, ['application/problem+json'], `${name} ${status}`)
      else if (!none.includes(Number(status)) && (route.reply || route.produces))
        assert.deepEqual(
          media,
          [...(route.media ?? [route.produces ? '*/*' : 'application/json'])],
          `${name} ${status}`,
        )
    }
  }
})

it('the OpenAPI document’s references resolve to the contract’s schemas', () => {
  const { operationOf } = described()
  const plain = (shape: unknown) => JSON.parse(JSON.stringify(shape)) as object
  const schemasOf = (content: Content = {}) => Object.values(content).map((one) => one.schema)
  for (const [name, route] of routes) {
    const { parameters, requestBody, responses } = operationOf(route)
    const places = { path: route.params, query: route.query, header: route.headers }
    assert.deepEqual(
      parameters.map((one) => [one.in, one.name, one.schema]),
      Object.entries(places).flatMap(([place, shape]) =>
        Object.entries(shape?.properties ?? {}).map(([field, schema]) => [place, field, plain(schema)]),
      ),
      name,
    )
    assert.deepEqual(schemasOf(requestBody?.content), route.body ? [plain(route.body)] : [], name)
    if (route.reply && route.produces !== 'bytes')
      assert.deepEqual(schemasOf(responses[route.status]?.content), [plain(route.reply)], name)
  }
})

it('the OpenAPI document conforms to the OpenAPI 3.1 schema', async () => {
  const validator = new Validator()
  const result = await validator.validate(JSON.parse(JSON.stringify(openapi('http://localhost/below'))))
  assert.deepEqual([result, validator.version], [{ valid: true }, '3.1'])
})

it('the generated documents are what the code says (npm run docs)', () => {
  for (const [file, text] of Object.entries(documents))
    assert.equal(fs.readFileSync(path.join(import.meta.dirname, '../..', file), 'utf8'), text, file)
})
