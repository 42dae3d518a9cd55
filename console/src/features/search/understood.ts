import { parseQuery, QueryError, type QueryFault } from '../../../../contract/query.ts'

/** The first place of a query that is not understood, as the server would say. */
export function faultOf(query: string): QueryFault | undefined {
  try {
    parseQuery(query)
    return undefined
  } catch (error) {
    if (error instanceof QueryError) return error.fault
    throw error
  }
}
