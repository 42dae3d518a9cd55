import type { Ctx, System } from '../../../context.ts'
import type { Element } from '../answers/xml.ts'
import type { Service } from '../requests/signature/credential.ts'
import type { Parameters } from './parameters.ts'

/** One of AWS' APIs that are asked for by `POST /` with an `Action`. */
export interface QueryApi {
  service: Exclude<Service, 's3'>
  version: string
  /** Of its documents. */
  namespace: string
}

/** https://docs.aws.amazon.com/IAM/latest/APIReference/welcome.html */
export const IAM: QueryApi = {
  service: 'iam',
  version: '2010-05-08',
  namespace: 'https://iam.amazonaws.com/doc/2010-05-08/',
}
/** https://docs.aws.amazon.com/STS/latest/APIReference/welcome.html */
export const STS: QueryApi = {
  service: 'sts',
  version: '2011-06-15',
  namespace: 'https://sts.amazonaws.com/doc/2011-06-15/',
}

/** A request for an action. */
export interface QueryCall {
  action: QueryAction
  /** Of the caller: of nobody in particular where the action is asked for without a signature. */
  ctx: Ctx
  system: System
  parameters: Parameters
  /** With which the request is signed; undefined without a signature. */
  accessKeyId: string | undefined
}

/** An action of such an API. */
export interface QueryAction {
  /** AWS' name of it. */
  name: string
  api: QueryApi
  /** Its parameters, without the numbers of members: a request with any other is refused. */
  accepts: readonly string[]
  /** Whether nobody has to sign it: it brings another credential. */
  unsigned?: true
  /**
   * Does it; who may is for it to ask. Returns the contents of its result; nothing for actions that have none. Throws
   * QueryError or ServiceError.
   */
  run(call: QueryCall): Promise<readonly Element[] | undefined>
}
