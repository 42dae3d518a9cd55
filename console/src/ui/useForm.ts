import { useState } from 'react'
import { codeOf, describeProblem, faultsOf } from '../api/problem.ts'
import { notify } from './notify.tsx'

/**
 * A small form's state: values, the server's errors by field, and whether it is being sent. Errors without a field are
 * shown as a notice.
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
    /**
     * Says at each field what is missing or wrong in it, and returns whether nothing is. The first of them gets the
     * focus.
     */
    check(found: { readonly [name in keyof V]?: string | false | undefined }): boolean {
      const wrong = Object.entries(found).filter((one): one is [string, string] => Boolean(one[1]))
      setFaults(Object.fromEntries(wrong))
      if (wrong.length === 0) return true
      const form = document.activeElement?.closest('form')
      requestAnimationFrame(() => form?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus())
      return false
    },
    /** A text field's props. */
    field: (name: keyof V & string) => ({
      value: values[name] as string,
      error: faults[name],
      onChange: (event: { currentTarget: { value: string } }) => set(name, event.currentTarget.value as V[typeof name]),
    }),
    /**
     * Submits and returns whether it succeeded. `at` assigns an error code without a field to a field; `already_exists`
     * is about the name, where there is one.
     */
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
        const code = codeOf(error) ?? ''
        const field = at[code] ?? (code === 'already_exists' && 'name' in values ? 'name' : undefined)
        // That something exists already is said in the page's language; of other problems the server says more.
        const { title, detail } = describeProblem(error)
        if (field !== undefined) found[field] ??= code === 'already_exists' ? title : detail
        setFaults(found)
        if (!Object.keys(found).some((name) => (name.split('.')[0] as string) in values)) notify.problem(error)
        return false
      } finally {
        setSending(false)
      }
    },
  }
}
