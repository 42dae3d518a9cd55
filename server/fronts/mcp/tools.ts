import type { Tool } from './tool.ts'
import { changers } from './tools/change.ts'
import { finders } from './tools/find.ts'
import { limitTools } from './tools/limits.ts'
import { planTools } from './tools/plans.ts'
import { readers } from './tools/read.ts'

/** Every tool, in the order in which clients see them. */
export const tools: readonly Tool[] = [...finders, ...readers, ...changers, ...planTools, ...limitTools]
