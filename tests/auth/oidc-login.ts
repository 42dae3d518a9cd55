import { after, before } from 'node:test'
import type { Engine } from '../support/server.ts'
import { type Both, startBoth } from './oidc.ts'

/** The service of a suite, started before and stopped after it, and what its cases ask of it. */
export function loginWorld(engine: Engine) {
  let both: Both

  before(async () => {
    both = await startBoth(engine)
  })
  after(() => both.stop())

  return {
    get both() {
      return both
    },
  }
}
