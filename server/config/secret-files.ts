import fs from 'node:fs'
import { trimEndOf } from '../base/trim-end.ts'
import { ConfigError, type Env } from './config.ts'
import { type Variable, variables } from './variables.ts'

/**
 * The environment with the secrets that come from files: `SECRET_KEY_FILE=/run/secrets/key` sets SECRET_KEY to the
 * contents of that file, without line breaks at the end. So for every variable that is a secret. Throws a ConfigError if
 * a file cannot be read or is empty, or if both variables are set.
 */
export function withSecretFiles(env: Env): Env {
  const faults: string[] = []
  const read: Record<string, string> = {}
  for (const [name, { secret }] of Object.entries<Variable>(variables)) {
    const file = secret ? env[`${name}_FILE`]?.trim() : undefined
    if (!file) continue
    if (env[name]?.trim()) faults.push(`${name} and ${name}_FILE are both set; only one of them may be`)
    else
      try {
        read[name] = trimEndOf(fs.readFileSync(file, 'utf8'), '\r\n')
        if (read[name]?.trim() === '') faults.push(`${name}_FILE names ${file}, which is empty`)
      } catch (error) {
        faults.push(`${name}_FILE cannot be read: ${(error as Error).message}`)
      }
  }
  if (faults.length > 0) throw new ConfigError(faults)
  return { ...env, ...read }
}
