import { api } from '../../../../contract/index.ts'
import type { Ctx } from '../../../context.ts'
import { asAsked } from '../../../storage/history/former/past.ts'
import { handle, type Raw } from '../handle.ts'
import { serveImage } from '../images.ts'

const serve = async (ctx: Ctx, of: { bucket: string; key: string }, { at }: { at?: string | undefined }, raw: Raw) =>
  serveImage(await asAsked(ctx, of.bucket, at), of, raw)

export const imageRoutes = [
  handle(api.getImage, (ctx, { params, query, ...raw }) => serve(ctx, params, query, raw)),
  handle(api.headImage, (ctx, { params, query, ...raw }) => serve(ctx, params, query, raw)),
  handle(api.getImageByQuery, (ctx, { params, query, ...raw }) => serve(ctx, { ...params, ...query }, query, raw)),
  handle(api.headImageByQuery, (ctx, { params, query, ...raw }) => serve(ctx, { ...params, ...query }, query, raw)),
]
