import type { PasskeyRequest } from '../../../../contract/passkeys.ts'
import { codeOf, describeProblem, ProblemError } from '../../api/problem.ts'
import { text } from './messages.ts'

/** What a sign-in with the right password still needs. */
export interface Challenge {
  /** A second step is to be set up first. */
  enroll: boolean
  challenge: string
  methods: readonly string[]
  passkey: PasskeyRequest | undefined
}

/** The challenge that a sign-in was answered with; undefined for any other error. */
export function challengeOf(error: unknown): Challenge | undefined {
  if (!(error instanceof ProblemError)) return undefined
  const { code, challenge, methods = [], ...more } = error.problem
  const enroll = code === 'second_factor_enrollment_required'
  if (challenge === undefined || !(enroll || code === 'second_factor_required')) return undefined
  const { passkey } = more as { passkey?: PasskeyRequest }
  return { enroll, challenge, methods, passkey }
}

/** What to show for an error of the second step. */
export const explain = (error: unknown): string =>
  codeOf(error) === 'invalid_second_factor' ? text.wrong : describeProblem(error).detail

/** A code as people type it, without spaces. */
export const digitsOf = (text: string): string => text.replaceAll(/\s/g, '')
export const isCode = (text: string): boolean => /^\d{6}$/.test(digitsOf(text))
