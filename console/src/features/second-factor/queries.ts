import { queryOptions } from '@tanstack/react-query'
import { client } from '../../api/session.ts'

/** The signed-in user's second steps. */
export const factorsQuery = queryOptions({ queryKey: ['second-factors'], queryFn: () => client.listSecondFactors() })
