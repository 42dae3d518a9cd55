import { api } from '../../contract/index.ts'
import { handle } from '../http/handle.ts'
import { createUser, listUsers } from './service.ts'

export const userRoutes = [
  handle(api.createUser, (ctx, { body }) => createUser(ctx, body)),
  handle(api.listUsers, (ctx, { query }) => listUsers(ctx.db, query.limit ?? 100, query.cursor)),
]
