import { strongroom } from '../support/process.ts'
import type { TestServer } from '../support/server.ts'

/** Runs a command of a test's service: its exit code, what it prints, its findings without ids, and its last line. */
export async function verifying({ env }: Pick<TestServer, 'env'>, ...args: string[]) {
  const { code, out, err } = await strongroom(args, env)
  const findings = out.split('\n').filter((line) => /^\w+: /.test(line))
  return {
    code,
    out,
    err,
    findings: findings.map((one) => one.replaceAll(/[0-9a-f-]{36}/g, 'ID')),
    last: (err || out).trim().split('\n').at(-1) ?? '',
  }
}
