import { Alert, Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { AuditRecord } from '../../../../contract/audit.ts'
import { joinDetails, type PartialDetails } from '../../../../contract/details.ts'
import { client } from '../../api/session.ts'
import { CopyButton } from '../../ui/CopyField.tsx'
import { ProblemView } from '../../ui/ProblemView.tsx'
import { partOf } from './cells.tsx'
import { text } from './messages.ts'
import { Only } from './Only.tsx'

const PAGE = 200

/** A full record. For a long change, on request, with the details of all its parts. */
export function Whole({ record }: { record: AuditRecord }) {
  const part = partOf(record)
  const change = useQuery({
    queryKey: ['audit', 'change', part?.id],
    queryFn: () => wholeOf(record),
    enabled: false,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const json = JSON.stringify(change.data ?? record, null, 2)
  return (
    <section className="audit-whole" aria-label={text.record(record.action)}>
      <div className="audit-copy">
        <CopyButton value={json} label={text.copyJson} />
      </div>
      <Only record={record} />
      {part && !change.data ? (
        <p className="row">
          <span className="dim">{text.isPart}</span>
          <Button size="compact-sm" variant="default" loading={change.isFetching} onClick={() => void change.refetch()}>
            {text.showWhole}
          </Button>
        </p>
      ) : null}
      {change.data === null ? <Alert>{text.partsGone}</Alert> : null}
      {change.error ? <ProblemView error={change.error} retry={change.refetch} /> : null}
      <pre>{json}</pre>
    </section>
  )
}

/** The record with the details of all parts, which share its time; null if some are missing. */
async function wholeOf(record: AuditRecord): Promise<AuditRecord | null> {
  const part = partOf(record)
  if (!part) return record
  const found: PartialDetails[] = []
  const to = new Date(Date.parse(record.time) + 1).toISOString()
  let cursor: string | null = null
  do {
    const query: object = {
      action: [record.action],
      from: record.time,
      to,
      page_size: PAGE,
      ...(cursor ? { cursor } : {}),
    }
    const { items, next_cursor } = await client.listAudit({ query })
    found.push(...items.map(({ details }) => details as PartialDetails).filter((one) => one.part?.id === part.id))
    cursor = next_cursor
  } while (cursor !== null && found.length < part.of)
  if (found.length < part.of) return null
  found.sort((one, other) => one.part.number - other.part.number)
  return { ...record, id: part.id, details: joinDetails(found) }
}
