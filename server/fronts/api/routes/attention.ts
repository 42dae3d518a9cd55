import { api } from '../../../../contract/index.ts'
import { describeAttention } from '../../../features/attention/service.ts'
import { handle } from '../handle.ts'

export const attentionRoutes = [handle(api.getAttention, (ctx) => describeAttention(ctx))]
