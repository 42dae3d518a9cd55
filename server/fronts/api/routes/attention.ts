import { api } from '../../../../contract/index.ts'
import { describeAttention } from '../attention.ts'
import { handle } from '../handle.ts'

export const attentionRoutes = [handle(api.getAttention, (ctx) => describeAttention(ctx))]
