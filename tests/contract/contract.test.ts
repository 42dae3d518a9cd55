import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { it } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { api } from '../../contract/index.ts'
import { pathTemplate, type RouteSpec } from '../../contract/route.ts'
import { documents } from '../../scripts/docs.ts'
import { handlers } from '../../server/http/app.ts'
import { openapi } from '../../server/http/openapi.ts'

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
  ...['testIdp', 'objectsExist', 'archiveSelection', 'presignObject'],
  ...['initUpload', 'abortUpload', 'putPart', 'createJob', 'cancelJob', 'previewPolicy'],
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

it('every number that is taken has an end: what no database can hold is refused, not looked for', () => {
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

it('the OpenAPI document has every operation with its parameters and statuses', () => {
  const { paths, components } = openapi('http://localhost')
  for (const [name, route] of routes) {
    const operation = paths[pathTemplate(route)]?.[route.method.toLowerCase()] as {
      operationId: string
      parameters: { name: string; in: string }[]
      responses: Record<string, unknown>
    }
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
  assert.ok(components.schemas.Problem)
})

it('the OpenAPI document is one by the schema of OpenAPI 3.1', async () => {
  const validator = new Validator()
  const result = await validator.validate(JSON.parse(JSON.stringify(openapi('http://localhost/below'))))
  assert.deepEqual([result, validator.version], [{ valid: true }, '3.1'])
})

it('the generated documents are what the code says (npm run docs)', () => {
  for (const [file, text] of Object.entries(documents))
    assert.equal(fs.readFileSync(path.join(import.meta.dirname, '../..', file), 'utf8'), text, file)
})
