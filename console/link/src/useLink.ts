import { useCallback, useState } from 'preact/hooks'
import { describeLink, keepTicket, Refused, type ShareInfo } from './api.ts'

export interface Link {
  info: ShareInfo | undefined
  /** Why the link could not be opened, or not any more. */
  problem: Refused | undefined
  /** Asks again what the link opens; undefined if it opens nothing any more. */
  look(folder?: string): Promise<ShareInfo | undefined>
}

/** What the page knows of its link. */
export function useLink(): Link {
  const [info, setInfo] = useState<ShareInfo>()
  const [problem, setProblem] = useState<Refused>()
  const look = useCallback(async (folder = '') => {
    try {
      const found = await describeLink(folder)
      // The password was changed: the ticket for the old one is worth nothing.
      if (found.needs_password && found.name === null) keepTicket(undefined)
      setInfo(found)
      setProblem(undefined)
      return found
    } catch (error) {
      setProblem(error instanceof Refused ? error : new Refused(0))
      return undefined
    }
  }, [])
  return { info, problem, look }
}
