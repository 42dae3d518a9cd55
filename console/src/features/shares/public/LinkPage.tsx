import './public.css'
import { Button, Loader } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { describeProblem, statusOf } from '../../../api/problem.ts'
import { useView } from '../../../navigation.ts'
import { describeLink } from './api.ts'
import { FilePage } from './FilePage.tsx'
import { Gone } from './Gone.tsx'
import { Listing } from './Listing.tsx'
import { text } from './messages.ts'
import { Sheet } from './Sheet.tsx'
import { Spent } from './Spent.tsx'
import { Unlock } from './Unlock.tsx'
import { UploadPage } from './UploadPage.tsx'
import { useLimited } from './useLimited.ts'

/** The public page of a share link. */
export default function LinkPage() {
  const { token = '' } = useView().params
  const [ticket, setTicket] = useState<string>()
  const opened = { token, ticket }
  const link = useQuery({
    queryKey: ['link', token, ticket],
    queryFn: () => describeLink(opened),
    staleTime: 60_000,
    gcTime: 0,
  })
  const { data: info, error } = link
  const name = info?.name ?? undefined
  useEffect(() => {
    document.title = `${name ?? text.windowTitle} – Strongroom`
  }, [name])

  const { take, tookLast } = useLimited(link)
  const isGone = statusOf(error) === 410
  if (isGone && !info?.limited) return <Gone />
  if (error && !info) {
    const { detail, requestId } = describeProblem(error)
    return (
      <Sheet>
        <div className="state" role="alert">
          <IconAlertTriangle size={28} stroke={1.4} className="bad" />
          <h1>{text.failedTitle}</h1>
          <p>{detail}</p>
          {requestId ? (
            <p className="dim small mono">
              {text.request} {requestId}
            </p>
          ) : null}
          <Button variant="default" onClick={() => void link.refetch()}>
            {text.again}
          </Button>
        </div>
      </Sheet>
    )
  }
  if (!info)
    return (
      <Sheet>
        <p role="status" className="row link-wait">
          <Loader size="sm" /> {text.loading}
        </p>
      </Sheet>
    )
  // The password has changed: the ticket for the old one is no longer valid.
  if (info.needs_password && (ticket === undefined || info.name === null))
    return (
      <Sheet>
        <Unlock token={token} onUnlocked={setTicket} />
      </Sheet>
    )
  const stale = () => setTicket(undefined)
  const limits = { take: info.limited ? take : undefined, spent: isGone ? <Spent tookLast={tookLast} /> : null }
  return (
    <Sheet wide={info.kind === 'folder' || info.kind === 'selection'}>
      {info.kind === 'upload' ? (
        <UploadPage opened={opened} info={info} />
      ) : info.kind === 'object' ? (
        <FilePage opened={opened} info={info} {...limits} />
      ) : (
        <Listing opened={opened} info={info} {...limits} onStale={stale} />
      )}
    </Sheet>
  )
}
