/**
 * The client of a Strongroom service: every operation of its API with types, for browsers, Node 20 and later, Deno and
 * Bun. Its only requirement is `fetch`.
 */

export {
  type Call,
  type CallOptions,
  type Client,
  type ClientOptions,
  createClient,
  type Item,
  type OperationName,
  type Reply,
} from './create.ts'
export type * from './operations.ts'
export type { RetryOptions } from './retry.ts'
export { type Problem, ProblemError } from './send.ts'
export {
  resumeSession,
  type Session,
  type SessionOptions,
  type SessionTokens,
  type SignInOptions,
  signIn,
} from './session.ts'
export { type FileUpload, uploadFile } from './upload.ts'
