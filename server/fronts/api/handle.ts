import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Input, Reply, RouteSpec } from '../../../contract/route.ts'
import type { Ctx } from '../../context.ts'

/** A request and its answer, for handlers that stream or set headers. */
export interface Raw {
  request: FastifyRequest
  reply: FastifyReply
}
/** What a handler gets besides its context: the validated input, and the exchange for those that stream. */
export interface Exchange<R extends RouteSpec> extends Input<R>, Raw {}
type Answer<R extends RouteSpec> = R['produces'] extends 'bytes' ? FastifyReply : Reply<R>

export interface Handler {
  route: RouteSpec
  run(ctx: Ctx, exchange: Exchange<RouteSpec>): unknown
}

/** Ties an operation of the contract to the function that serves it. */
export const handle = <R extends RouteSpec>(
  route: R,
  run: (ctx: Ctx, exchange: Exchange<R>) => Answer<R> | Promise<Answer<R>>,
): Handler => ({ route, run: run as unknown as Handler['run'] })
