import { Switch } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Webhook } from '../../../../contract/webhooks.ts'
import { client } from '../../api/session.ts'
import { notify } from '../../ui/notify.tsx'
import { text } from './messages.ts'

/** Pauses and resumes an endpoint. Shown immediately, and reverted if the server rejects it. */
export function OnSwitch({ webhook: { id, name, enabled }, label }: { webhook: Webhook; label?: string }) {
  const cache = useQueryClient()
  const [wanted, setWanted] = useState<boolean>()
  const turn = async (on: boolean) => {
    setWanted(on)
    try {
      await client.updateWebhook({ params: { id }, body: { enabled: on } })
      notify.ok(on ? text.switchedOn(name) : text.switchedOff(name))
    } catch (error) {
      notify.problem(error)
    }
    await cache.invalidateQueries({ queryKey: ['webhooks'] })
    setWanted(undefined)
  }
  return (
    <Switch
      {...(label ? { label } : {})}
      aria-label={text.enabledOf(name)}
      checked={wanted ?? enabled}
      disabled={wanted !== undefined}
      onChange={(event) => void turn(event.currentTarget.checked)}
    />
  )
}
