import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before } from 'node:test'
import { type Engine, startServer, type TestServer } from '../support/server.ts'
import { commandIn, envIn } from './command.ts'

/** A service, and the command that asks it with a token, in an empty folder. For use in a suite, before its own hooks. */
export function commandWorld(engine: Engine) {
  let server: TestServer
  let folder: string
  let token: string
  before(async () => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-cli-'))
    server = await startServer(engine)
    token = (await server.admin.createToken({ body: { name: 'cli' } })).token
    server.secrets.add(token)
  })
  after(async () => {
    await server.stop()
    fs.rmSync(folder, { recursive: true, force: true })
  })
  return {
    ...commandIn(() => ({ folder, env: envIn(folder, server.url, token) })),
    /** What there is once the suite begins. */
    parts: () => ({ server, folder }),
  }
}
