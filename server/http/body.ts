import type { FastifyReply, FastifyRequest } from 'fastify'

/** Tells a client that waits with its body (`Expect: 100-continue`) to send it: it is wanted now. */
export function expectBody(request: FastifyRequest, reply: FastifyReply): void {
  if (request.headers.expect?.toLowerCase() !== '100-continue') return
  delete request.headers.expect
  reply.raw.writeContinue()
}
