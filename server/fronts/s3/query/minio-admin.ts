import { ServiceError } from '../../../../contract/errors.ts'
import type { System } from '../../../context.ts'
import { answer } from '../answers/answer.ts'
import { dropHeaders } from '../answers/problem.ts'
import { S3Error } from '../errors.ts'
import type { Wire } from '../requests/exchange.ts'

const PATH = /^\/minio\/(admin|kms)\/v\d+\//
const MESSAGE =
  "This is not MinIO, and has no admin API of MinIO's. Users, groups, keys and policies: AWS' IAM API on this endpoint (aws --endpoint-url … iam …), the console, or the strongroom command line."

/** Whether a request is one of MinIO's admin API, by its path and the client that sends it. */
export const isMinioAdmin = ({ request }: Pick<Wire, 'request'>): boolean =>
  PATH.test(request.url ?? '') && /madmin/i.test(request.headers['user-agent'] ?? '')

/** The refusal of a request of MinIO's admin API. */
export const notMinio = (): S3Error => new S3Error('NotImplemented', MESSAGE)

/** What such a request is refused with where its client does not name itself: nobody asks for such a key otherwise. */
const OF_NOTHING = new Set(['NoSuchBucket', 'NotImplemented', 'AccessDenied', 'InvalidRequest'])
const isOfNothing = (error: unknown): boolean =>
  error instanceof S3Error
    ? OF_NOTHING.has(error.code)
    : error instanceof ServiceError && (error.code === 'forbidden' || error.missing === 'bucket')

/** Whether a refusal is best explained by whose API it was meant for. */
export const isForMinio = (wire: Wire, error: unknown): boolean =>
  !wire.response.headersSent && (isMinioAdmin(wire) || (PATH.test(wire.request.url ?? '') && isOfNothing(error)))

/** Answers in JSON, as its clients read errors. */
export async function answerMinio(system: System, wire: Wire): Promise<void> {
  dropHeaders(wire.response)
  const body = {
    Code: 'NotImplemented',
    Message: MESSAGE,
    Resource: wire.request.url ?? '',
    RequestId: wire.id,
    HostId: wire.id,
  }
  await answer({ system, ...wire }, 501, { 'content-type': 'application/json' }, JSON.stringify(body))
}
