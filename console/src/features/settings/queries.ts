import { queryOptions } from '@tanstack/react-query'
import { client } from '../../api/session.ts'

export const settingsQuery = queryOptions({ queryKey: ['settings'], queryFn: () => client.getSettings() })
