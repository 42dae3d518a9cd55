import { Alert, Anchor } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { client } from '../../api/session.ts'
import { text as common } from '../../ui/messages.ts'
import { text } from './messages.ts'

const WAIT_MS = 10_000
const POLL_MS = 500

/** A ping's result, polled until its first attempt ends, for at most 10 seconds. */
export function TestPing({
  webhookId,
  deliveryId,
  onOpen,
  onClose,
}: {
  webhookId: string
  deliveryId: string
  onOpen: () => void
  onClose: () => void
}) {
  const [late, setLate] = useState(false)
  const ping = useQuery({
    queryKey: ['webhooks', 'ping', webhookId, deliveryId],
    queryFn: () => client.getDelivery({ params: { id: webhookId, delivery_id: deliveryId } }),
    refetchInterval: ({ state }) => (late || state.data?.attempt_log.length ? false : POLL_MS),
  })
  const attempt = ping.data?.attempt_log[0]
  const waits = attempt === undefined && !late
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), WAIT_MS)
    return () => clearTimeout(timer)
  }, [])
  const cache = useQueryClient()
  const isDone = attempt !== undefined
  // What the page says of the endpoint is from before its outcome.
  useEffect(() => {
    if (isDone)
      void cache.invalidateQueries({ queryKey: ['webhooks'], predicate: ({ queryKey }) => queryKey[1] !== 'ping' })
  }, [isDone, cache])
  const ok = attempt?.status_code != null && attempt.error_class === null
  const words = () => {
    if (!attempt) return late ? text.testSlow : text.testing
    const { status_code, duration_ms, error, error_class } = attempt
    if (status_code === null) return text.testFailed(error ?? error_class ?? '')
    return ok ? text.testOk(status_code, duration_ms) : text.testCode(status_code, duration_ms)
  }
  return (
    <Alert
      role="status"
      className={waits || ok ? 'webhooks-ping' : 'alert-bad webhooks-ping'}
      withCloseButton
      closeButtonLabel={common.close}
      onClose={onClose}
    >
      <span className={ok ? 'ok' : undefined}>{words()}</span>{' '}
      {waits ? null : (
        <Anchor component="button" type="button" onClick={onOpen} className="webhooks-underlined">
          {text.testOpen}
        </Anchor>
      )}
    </Alert>
  )
}
