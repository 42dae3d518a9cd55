import { useState } from 'react'
import { codeOf, describeProblem, faultsOf } from '../api/problem.ts'
import { notify } from './notify.tsx'

/**
 * The state of a small form: values, the faults the server found by field, and whether it is being sent. What is wrong
 * with no field is told as a notification.
 */
export function useForm<V extends Record<string, unknown>>(initial: V) {
  const [values, setValues] = useState(initial)
  const [faults, setFaults] = useState<Record<string, string>>({})
  const [sending, setSending] = useState(false)
  const set = <K extends keyof V>(name: K, value: V[K]) => {
    setValues((old) => ({ ...old, [name]: value }))
    setFaults(({ [name as string]: _gone, ...rest }) => rest)
  }
  return {
    values,
    faults,
    sending,
    set,
    reset: () => {
      setValues(initial)
      setFaults({})
    },
    /** Props of a text field. */
    field: (name: keyof V & string) => ({
      value: values[name] as string,
      error: faults[name],
      onChange: (event: { currentTarget: { value: string } }) => set(name, event.currentTarget.value as V[typeof name]),
    }),
    /** Sends; gives whether it was taken. `at` says which field a refusal without one is about, by its code. */
    async submit(
      send: (values: V) => Promise<unknown>,
      at: Readonly<Record<string, keyof V & string>> = {},
    ): Promise<boolean> {
      setSending(true)
      setFaults({})
      try {
        await send(values)
        return true
      } catch (error) {
        const found = faultsOf(error)
        const field = at[codeOf(error) ?? '']
        if (field !== undefined) found[field] ??= describeProblem(error).detail
        setFaults(found)
        if (!Object.keys(found).some((name) => (name.split('.')[0] as string) in values)) notify.problem(error)
        return false
      } finally {
        setSending(false)
      }
    },
  }
}
