import { api } from '../../../../contract/index.ts'
import { replaceExpiredPassword } from '../../../access/auth/expired-password.ts'
import * as own from '../../../access/auth/own-factors.ts'
import { beginLoginEnrollment, finishLoginEnrollment, verifyLogin } from '../../../access/auth/second-step.ts'
import { resetFactors } from '../../../access/second-factor/factors.ts'
import * as cookies from '../cookies.ts'
import { handle } from '../handle.ts'

export const secondFactorRoutes = [
  handle(api.verifyLogin, (ctx, { body, query, ...raw }) => {
    const device = cookies.readDeviceCookie(ctx, raw.request)
    return cookies.answerLogin(ctx, () => verifyLogin(ctx, { ...body, device }), query.session, raw)
  }),
  handle(api.beginLoginEnrollment, (ctx, { body, reply }) => {
    reply.header('cache-control', 'no-store')
    return beginLoginEnrollment(ctx, body.challenge, body.kind)
  }),
  handle(api.finishLoginEnrollment, (ctx, { body, query, ...raw }) => {
    const device = cookies.readDeviceCookie(ctx, raw.request)
    return cookies.answerLogin(ctx, () => finishLoginEnrollment(ctx, { ...body, device }), query.session, raw)
  }),
  handle(api.replaceExpiredPassword, (ctx, { body, query, ...raw }) => {
    const device = cookies.readDeviceCookie(ctx, raw.request)
    return cookies.answerLogin(ctx, () => replaceExpiredPassword(ctx, { ...body, device }), query.session, raw)
  }),
  handle(api.listSecondFactors, (ctx) => own.listOwnFactors(ctx)),
  handle(api.challengeSecondFactor, (ctx, { reply }) => {
    reply.header('cache-control', 'no-store')
    return own.challengeOwnFactor(ctx)
  }),
  handle(api.beginSecondFactor, (ctx, { body, reply }) => {
    reply.header('cache-control', 'no-store')
    return own.beginOwnFactor(ctx, body.kind)
  }),
  handle(api.addSecondFactor, (ctx, { body, reply }) => {
    reply.header('cache-control', 'no-store')
    return own.addOwnFactor(ctx, body)
  }),
  handle(api.renameSecondFactor, (ctx, { params, body }) => own.renameOwnFactor(ctx, params.id, body.name)),
  handle(api.removeSecondFactor, (ctx, { params, body }) => own.removeOwnFactor(ctx, params.id, body.proof)),
  handle(api.createRecoveryCodes, (ctx, { body, reply }) => {
    reply.header('cache-control', 'no-store')
    return own.createOwnRecoveryCodes(ctx, body.proof)
  }),
  handle(api.resetSecondFactors, (ctx, { params }) => resetFactors(ctx, params.id)),
]
