import assert from 'node:assert/strict'
import { ProblemError } from '../../client/derived.ts'
import { type ErrorCode, errors } from '../../contract/errors.ts'

/** Asserts that a call fails with this code, its status and, if given, a validation error at this path. */
export async function rejectsWith(call: Promise<unknown>, code: ErrorCode, path?: string): Promise<ProblemError> {
  const error = await call.then(
    () => assert.fail(`expected ${code}, but the call succeeded`),
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof ProblemError, String(error))
  assert.equal(error.problem.code, code, error.message)
  assert.equal(error.response.status, errors[code].status)
  assert.match(error.response.headers.get('content-type') ?? '', /^application\/problem\+json/)
  assert.equal(error.response.headers.get('x-request-id'), error.problem.request_id)
  if (path !== undefined)
    assert.ok(
      error.problem.errors?.some((fault) => fault.path === path),
      `no fault at ${path} in ${JSON.stringify(error.problem)}`,
    )
  return error
}
