import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { type Client, ProblemError } from '../../client/derived.ts'
import type { Proof } from '../../contract/second-factor.ts'
import type { Problem } from '../../contract/shapes.ts'
import { Authenticator } from './authenticator.ts'
import type { TestServer } from './server.ts'

/** Passkeys work on a host name, not on an address. */
export const SITE = { PUBLIC_BASE_URL: 'https://storage.example.com/below' }
export const ORIGIN = 'https://storage.example.com'
const STEP_MS = 30_000

/** The code that an authenticator app shows for a key at a moment: written from RFC 6238, apart from the service's. */
export function appCode(secret: string, at: Date): string {
  let bits = ''
  for (const letter of secret) bits += 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0')
  const key = Uint8Array.from({ length: Math.floor(bits.length / 8) }, (_, i) =>
    Number.parseInt(bits.slice(8 * i, 8 * i + 8), 2),
  )
  const counter = new DataView(new ArrayBuffer(8))
  counter.setBigUint64(0, BigInt(Math.floor(at.getTime() / STEP_MS)))
  const mac = createHmac('sha1', key).update(new Uint8Array(counter.buffer)).digest()
  const offset = (mac.at(-1) ?? 0) % 16
  const number = new DataView(Uint8Array.from(mac.subarray(offset, offset + 4)).buffer).getUint32(0) % 2 ** 31
  return String(number % 1_000_000).padStart(6, '0')
}

/** A user's authenticator app. */
export interface App {
  id: string
  recovery_codes: string[] | null
  /** A code that was not used: the clock moves on by one step. */
  next(): string
  /** The current code again. */
  again(): string
}

/** Sets up an authenticator app for the caller of a client. */
export async function addApp(server: TestServer, client: Client, proof: Proof, name?: string): Promise<App> {
  const { challenge, totp } = await client.beginSecondFactor({ body: { kind: 'totp' } })
  const { secret } = totp ?? assert.fail('no key')
  server.secrets.add(secret)
  const again = () => appCode(secret, server.clock.now())
  const body = { challenge, otp: again(), proof, ...(name === undefined ? {} : { name }) }
  const { factor, recovery_codes } = await client.addSecondFactor({ body })
  for (const code of recovery_codes ?? []) server.secrets.add(code)
  const next = () => {
    server.clock.advance(STEP_MS)
    return again()
  }
  return { id: factor.id, recovery_codes, next, again }
}

/** Registers a passkey for the caller of a client. */
export async function addPasskey(
  server: TestServer,
  client: Client,
  proof: Proof,
  options: { counts?: boolean; discoverable?: boolean } = {},
) {
  const { challenge, passkey } = await client.beginSecondFactor({ body: { kind: 'passkey' } })
  const key = new Authenticator(ORIGIN, options)
  const body = { challenge, passkey: key.create(passkey ?? assert.fail('no options')), proof, name: 'Key' }
  const { factor, recovery_codes } = await client.addSecondFactor({ body })
  for (const code of recovery_codes ?? []) server.secrets.add(code)
  return { id: factor.id, key, recovery_codes }
}

/** The problem a call fails with; fails if it succeeds. */
export const problemOf = (call: Promise<unknown>): Promise<Problem> =>
  call.then(
    (answer) => assert.fail(`answered ${JSON.stringify(answer)}`),
    (error: unknown) => {
      if (error instanceof ProblemError) return error.problem as Problem
      throw error
    },
  )

/** Gives the right password and returns the challenge that it is answered with. */
export async function challengeOf(server: TestServer, { email, password }: { email: string; password: string }) {
  const problem = await problemOf(server.as().login({ body: { username: email, password } }))
  assert.equal(problem.status, 401)
  return { ...problem, challenge: problem.challenge ?? assert.fail(`no challenge: ${problem.code}`) }
}
