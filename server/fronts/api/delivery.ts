import { type Delivery, onDelivered } from '../../http/delivery.ts'
import type { Raw } from './handle.ts'

/** Calls each of `reports` once with how a response ended; not for HEAD. Call it before sending the response. */
export const reportDelivery = (
  { request, reply }: Raw,
  ...reports: readonly (((delivery: Delivery) => void) | undefined)[]
): void =>
  onDelivered(
    { request: request.raw, response: reply.raw },
    () => Number(reply.getHeader('content-length') ?? 0),
    reports,
  )
