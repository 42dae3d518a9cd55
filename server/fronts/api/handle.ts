import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Input, Reply, RouteSpec } from '../../../contract/route.ts'
import type { Ctx } from '../../context.ts'

/** A request and its answer, for handlers that stream or set headers. */
export interface Raw {
  request: FastifyRequest
  reply: FastifyReply
}
/** A handler's input besides its context: the validated request, and the raw exchange for handlers that stream. */
export interface Exchange<R extends RouteSpec> extends Input<R>, Raw {}
type Answer<R extends RouteSpec> = R['produces'] extends 'bytes' ? FastifyReply : Reply<R>

export interface Handler {
  route: RouteSpec
  run(ctx: Ctx, exchange: Exchange<RouteSpec>): unknown
}

/** Binds an operation of the contract to the function that serves it. */
export const handle = <R extends RouteSpec>(
  route: R,
  run: (ctx: Ctx, exchange: Exchange<R>) => Answer<R> | Promise<Answer<R>>,
): Handler => ({ route, run: run as unknown as Handler['run'] })
