import assert from 'node:assert/strict'
import { test } from 'node:test'
import { atStop, stopAll } from '../server/at-stop.ts'
import { perSystem } from '../server/base/per-system.ts'
import type { Config } from '../server/config/config.ts'
import type { Ctx } from '../server/context.ts'

/** A service as far as its state is concerned. */
function service() {
  const errors: unknown[] = []
  const config = {} as Config
  const ctx = { config, log: { error: ({ err }: { err: unknown }) => void errors.push(err) } } as unknown as Ctx
  return { config, ctx, errors }
}

test('each service has its own state, made once', () => {
  let made = 0
  const stateOf = perSystem(() => ({ number: ++made }))
  const [one, other] = [service(), service()]
  assert.equal(stateOf(one.config), stateOf(one.config))
  assert.notEqual(stateOf(one.config), stateOf(other.config))
  assert.equal(made, 2)
})

test('shutdown work runs in stages; a failure does not prevent the rest', async () => {
  const done: string[] = []
  const closedOf = perSystem(
    () => ({}),
    () => void done.push('closed'),
  )
  const unusedOf = perSystem(
    () => ({}),
    () => void done.push('never made'),
  )
  const { config, ctx, errors } = service()
  const of = (work: () => void) => (stopping: Ctx) => {
    if (stopping === ctx) work()
  }
  atStop(
    'seal',
    of(() => done.push('sealed')),
  )
  atStop(
    'write',
    of(() => {
      throw new Error('not written')
    }),
  )
  atStop('write', async (stopping) => {
    if (stopping !== ctx) return
    await Promise.resolve()
    done.push('written')
  })
  const before = closedOf(config)
  await stopAll(ctx)
  assert.deepEqual(done, ['written', 'sealed', 'closed'])
  assert.deepEqual(
    errors.map((error) => (error as Error).message),
    ['not written'],
  )
  assert.notEqual(closedOf(config), before, 'what was closed is not handed out again')
  assert.ok(unusedOf)
})
