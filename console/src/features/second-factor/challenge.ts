import type { PasskeyRequest } from '../../../../contract/passkeys.ts'
import { codeOf, ProblemError, sentenceOf } from '../../api/problem.ts'
import { text } from './messages.ts'

/** What a sign-in with the right password still needs. */
export interface Challenge {
  /** What is asked for: the second step, to set one up, or another password. */
  step: 'verify' | 'enroll' | 'password'
  challenge: string
  methods: readonly string[]
  passkey: PasskeyRequest | undefined
}

const steps: Readonly<Record<string, Challenge['step']>> = {
  second_factor_required: 'verify',
  second_factor_enrollment_required: 'enroll',
  password_change_required: 'password',
}

/** The challenge that a sign-in was answered with; undefined for any other error. */
export function challengeOf(error: unknown): Challenge | undefined {
  if (!(error instanceof ProblemError)) return undefined
  const { code, challenge, methods = [], ...more } = error.problem
  const step = steps[code]
  if (challenge === undefined || step === undefined) return undefined
  const { passkey } = more as { passkey?: PasskeyRequest }
  return { step, challenge, methods, passkey }
}

/** What to show for an error of the second step. */
export const explain = (error: unknown): string =>
  codeOf(error) === 'invalid_second_factor' ? text.wrong : sentenceOf(error)

/** A code as people type it, without spaces. */
export const digitsOf = (text: string): string => text.replaceAll(/\s/g, '')
export const isCode = (text: string): boolean => /^\d{6}$/.test(digitsOf(text))
