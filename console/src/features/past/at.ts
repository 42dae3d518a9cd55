import { createContext, useContext } from 'react'

/** The moment at which a view shows a bucket, as the API takes it; undefined: now. */
export const At = createContext<string | undefined>(undefined)
export const useAt = (): string | undefined => useContext(At)

/** The parameter of a request for what was at a moment; none for what is now. */
export const atOf = (at: string | undefined): { at?: string } => (at === undefined ? {} : { at })

/** The last moment at which what a change at this time ended was still so. */
export const justBefore = (time: string): string => new Date(Date.parse(time) - 1).toISOString()
