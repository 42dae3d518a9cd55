import { api } from '../../../../contract/index.ts'
import { handle } from '../handle.ts'
import { serveImage } from '../images.ts'

export const imageRoutes = [
  handle(api.getImage, (ctx, { params, ...raw }) => serveImage(ctx, params, raw)),
  handle(api.headImage, (ctx, { params, ...raw }) => serveImage(ctx, params, raw)),
  handle(api.getImageByQuery, (ctx, { params, query, ...raw }) => serveImage(ctx, { ...params, key: query.key }, raw)),
  handle(api.headImageByQuery, (ctx, { params, query, ...raw }) => serveImage(ctx, { ...params, key: query.key }, raw)),
]
