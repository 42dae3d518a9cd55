import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { SettingsChange } from '../../../../contract/settings.ts'
import { faultsOf } from '../../api/problem.ts'
import { meQuery } from '../../api/queries.ts'
import { client } from '../../api/session.ts'
import { confirm } from '../../ui/confirm.tsx'
import { text } from './messages.ts'

/** How the API says that a text does not have its form. */
const BAD_FORM = /^must (match pattern|be (on )?one line|not be blank|have no control|be an email address)/

/** Saves changed settings and holds what the server finds wrong: by field where it names one, else as a problem. */
export function useSaving() {
  const cache = useQueryClient()
  const [sending, setSending] = useState(false)
  const [problem, setProblem] = useState<unknown>()
  const [faults, setFaults] = useState<Readonly<Record<string, string>>>({})
  return {
    sending,
    problem,
    /** By the field's name, without its section. */
    faults,
    setFaults,
    clear: () => {
      setProblem(undefined)
      setFaults({})
    },
    /** Returns whether they were saved. */
    async save(change: SettingsChange): Promise<boolean> {
      setSending(true)
      setProblem(undefined)
      setFaults({})
      try {
        if (!(await mayEndSession(change))) return false
        cache.setQueryData(['settings'], await client.updateSettings({ body: change }))
        void cache.invalidateQueries({ queryKey: ['auth-config'] })
        void cache.invalidateQueries({ queryKey: ['directory'] })
        void cache.invalidateQueries(meQuery)
        return true
      } catch (error) {
        const found = Object.entries(faultsOf(error)).map(([path, message]) => [
          path.split('.')[1] ?? path,
          // The field's hint explains more than a pattern would.
          BAD_FORM.test(message) ? text.badForm : message,
        ])
        setFaults(Object.fromEntries(found))
        setProblem(error)
        return false
      } finally {
        setSending(false)
      }
    },
  }
}

/** Asks first if a second step is to be required that the session of this very administrator lacks. */
async function mayEndSession({ auth }: SettingsChange): Promise<boolean> {
  if (auth?.second_factor === undefined || auth.second_factor === 'optional') return true
  if (!(await client.listSecondFactors()).session_ends) return true
  return confirm({ title: text.endsSession, children: text.endsSessionHint, action: text.endsSessionAction })
}
