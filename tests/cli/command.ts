import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { bareEnv } from '../support/process.ts'

const COMMAND = path.join(import.meta.dirname, '../..', 'bin', 'strongroom.js')

interface Given {
  input?: string | Buffer
  env?: Record<string, string>
}

/** The environment of a command whose configuration is in a folder, and which asks a service with a token. */
export const envIn = (folder: string, url: string, token: string) => ({
  ...bareEnv,
  HOME: folder,
  STRONGROOM_CONFIG: path.join(folder, 'config.json'),
  STRONGROOM_URL: url,
  STRONGROOM_TOKEN: token,
})

/** Runs the command in a folder with an environment, both of which are asked for at each run. */
export function commandIn(world: () => { folder: string; env: Record<string, string> }) {
  let output = ''
  const begin = (args: readonly string[], more: Record<string, string> = {}) => {
    const { folder, env } = world()
    return spawn(process.execPath, [COMMAND, ...args], { env: { ...env, ...more }, cwd: folder })
  }
  const strongroom = async (args: readonly string[], given: Given = {}) => {
    const child = begin(args, given.env)
    child.stdin.end(given.input ?? '')
    const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
    output += out + err
    return { out, err, code: code as number }
  }
  return {
    begin,
    strongroom,
    /** Runs what must succeed. */
    async ok(...args: string[]): Promise<string> {
      const { out, err, code } = await strongroom(args)
      assert.equal(code, 0, err)
      return out
    },
    /** All that `strongroom` and `ok` have printed. */
    printed: () => output,
  }
}
