import { execFile, execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { createDatabase, postgresUrl } from '../support/postgres.ts'
import { bareEnv, type ServerProcess } from '../support/process.ts'
import { type Engine, serverEnv } from '../support/server.ts'
import { type Stretches, spawnWatched } from '../support/stretches.ts'

const MAIN = path.join(import.meta.dirname, '../../server/main.ts')

/** A service in a process of its own, to be treated badly. */
export interface Target extends ServerProcess {
  stretches: Stretches
  /** Ends the service, runs `verify` and `audit verify` on what it left, and removes everything. Throws on any fault. */
  /** Creates an administrator after the fuzzer has removed its own, and returns the email. Throws on any error. */
  rescue(password: string): string
  finish(): Promise<{ verify: string; audit: string }>
}

/** `more` adds to the service's environment. */
export async function startTarget(engine: Engine, more: Record<string, string> = {}): Promise<Target> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-fuzz-'))
  const postgres = engine === 'postgres' ? await createDatabase(await postgresUrl()) : undefined
  const env = {
    ...serverEnv(folder, postgres?.url),
    LOG_LEVEL: 'error',
    WEBHOOK_TIMEOUT_SECONDS: '1',
    TRUSTED_PROXIES: 'loopback',
    ...more,
  }
  const server = await spawnWatched(env)
  let rescues = 0
  const run = async (...args: string[]): Promise<string> =>
    (await promisify(execFile)(process.execPath, [MAIN, ...args], { env: { ...bareEnv, ...env } })).stdout
  return {
    ...server,
    rescue(password) {
      const email = `rescue${++rescues}@example.com`
      const options = { env: { ...bareEnv, ...env } }
      execFileSync(process.execPath, [MAIN, 'create-admin', email, '--password-stdin'], { ...options, input: password })
      execFileSync(process.execPath, [MAIN, 'enable-local-login'], options)
      return email
    },
    async finish() {
      try {
        const code = await server.kill('SIGTERM')
        if (code !== 0) throw new Error(`the service ended with ${code}:\n${server.log().slice(-3000)}`)
        return { verify: await run('verify'), audit: await run('audit', 'verify') }
      } finally {
        await server.kill('SIGKILL')
        await postgres?.drop()
        fs.rmSync(folder, { recursive: true, force: true })
      }
    },
  }
}
