import { useState } from 'react'
import { expiresIn } from '../../ui/ExpiryField.tsx'
import { useForm } from '../../ui/useForm.ts'
import { lifetimeOf, useLifetimes } from './lifetimes.ts'
import { areWhole, limitsTo, scopeOf } from './limits.ts'

/** The form of a new credential, at first limited to a bucket if one is named, and its `body` for the API once it is complete. */
export function useNewCredential(bucket: string | undefined) {
  const { usual } = useLifetimes()
  const [first] = useState(() => limitsTo(bucket))
  const form = useForm({ name: '', expires_in: usual, scope: first })
  const { name, expires_in, scope } = form.values
  const length = expiresIn(expires_in)
  const body =
    name.trim() === '' || length === undefined || !areWhole(scope)
      ? undefined
      : { name: name.trim(), expires_in: lifetimeOf(length), scope: scopeOf(scope) }
  return { form, body }
}
