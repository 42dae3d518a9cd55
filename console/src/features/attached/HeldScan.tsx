import { Button } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useState } from 'react'
import type { Absence, Scan } from '../../../../contract/scans.ts'
import { useCursorList } from '../../api/pages.ts'
import { queries, useMe } from '../../api/queries.ts'
import { client } from '../../api/session.ts'
import { legible } from '../../keys.ts'
import { Link } from '../../navigation/Link.tsx'
import { confirm } from '../../ui/confirm.tsx'
import { type Column, ListTable } from '../../ui/ListTable.tsx'
import { notify } from '../../ui/notify.tsx'
import { StateView } from '../../ui/StateView.tsx'
import { Bytes, TimeAgo } from '../../ui/values.tsx'
import { isConfirmable } from './describe.ts'
import { scanText as text } from './messages.ts'

const PAGE = 20
/** Above this, the number has to be typed. */
const MANY = 1000

/** A scan that marked nothing, or did not take its bucket over: why, what it would mark, and what to do. */
export function HeldScan({ scan, storage, isBusy }: { scan: Scan; storage: string; isBusy: boolean }) {
  const me = useMe()
  const [confirming, setConfirming] = useState(false)
  const { id, bucket, detail, held_reason, absent, trigger } = scan
  const canConfirm = isConfirmable(scan)
  const approve = async () => {
    const yes = await confirm({
      title: text.confirmTitle(absent),
      children: (
        <div className="stack-tight">
          {[text.confirmLook, text.confirmEffect, text.confirmLater].map((sentence) => (
            <p key={sentence}>{sentence}</p>
          ))}
        </div>
      ),
      action: text.confirmAction,
      ...(absent > MANY ? { typed: String(absent) } : {}),
    })
    if (!yes) return
    setConfirming(true)
    try {
      await client.confirmScan({ params: { scan: id } })
      notify.ok(text.confirmed)
    } catch (error) {
      notify.problem(error)
    }
    await queries.invalidateQueries({ queryKey: ['scans', bucket] })
    setConfirming(false)
  }
  if (held_reason === null) return null
  return (
    <section className="card stack scans-held" aria-labelledby="scan-held">
      <div className="stack-tight">
        <h2 id="scan-held">
          <IconAlertTriangle size={18} stroke={1.8} aria-hidden />
          {text.held(held_reason)}
        </h2>
        {detail === null ? null : <p>{detail}</p>}
        <p>{trigger === 'take_over' ? text.notTakenOver : text.untouched}</p>
        <p>{text.advice(held_reason)}</p>
      </div>
      {canConfirm ? <Absences scan={scan} /> : null}
      <div className="dialog-actions">
        {canConfirm ? (
          <span className="dim grow">{me.isAdmin ? (isBusy ? text.confirmWaits : '') : text.confirmAdmins}</span>
        ) : null}
        {me.isAdmin ? (
          <Button variant="default" component={Link} to={`/admin/storages/${storage}`}>
            {text.toStorage}
          </Button>
        ) : null}
        {canConfirm && me.isAdmin ? (
          <Button color="danger" loading={confirming} disabled={isBusy} onClick={() => void approve()}>
            {text.confirm}
          </Button>
        ) : null}
      </div>
    </section>
  )
}

const columns: readonly Column<Absence>[] = [
  { key: 'key', breaks: true, title: text.key, cell: ({ key }) => <bdi className="mono">{legible(key)}</bdi> },
  { key: 'size', title: text.size, number: true, cell: ({ size }) => <Bytes bytes={size} /> },
  {
    key: 'modified',
    title: text.modified,
    optional: true,
    cell: ({ last_modified }) => <TimeAgo time={last_modified} />,
  },
]

/** What the scan would mark as missing. */
function Absences({ scan: { id, bucket, absent } }: { scan: Scan }) {
  const list = useCursorList<Absence>(['scans', bucket, 'absences', id], (cursor) =>
    client.listAbsences({ params: { scan: id }, query: { limit: PAGE, ...cursor } }),
  )
  return (
    <div className="stack-tight">
      <h3>{text.absences(absent)}</h3>
      <StateView query={list}>
        {(rows) =>
          rows.length === 0 ? (
            <p className="dim">{text.noAbsences}</p>
          ) : (
            <ListTable
              label={text.absences(absent)}
              columns={columns}
              rows={rows}
              rowKey={({ key }) => key}
              more={list.more}
            />
          )
        }
      </StateView>
    </div>
  )
}
