import { Button, Switch } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { bucketActions } from '../../../../contract/permissions.ts'
import { bucketsQuery } from '../../api/buckets.ts'
import { newRow } from '../groups/changes.ts'
import { GrantRows } from '../groups/GrantRows.tsx'
import { faultsOf, type Limits } from './limits.ts'
import { text } from './messages.ts'

/** What a new credential is limited to, off at first. */
export function LimitFields({
  value,
  onChange,
  faults,
}: {
  value: Limits
  onChange: (next: Limits) => void
  /** What the service found wrong, by path. */
  faults: Readonly<Record<string, string | undefined>>
}) {
  const buckets = useQuery(bucketsQuery)
  const { limited, rows } = value
  const refusal = Object.entries(faults).find(([path]) => path.startsWith('scope'))?.[1]
  return (
    <>
      <Switch
        label={text.limited}
        description={text.limitsHint}
        checked={limited}
        onChange={(event) => onChange({ limited: event.currentTarget.checked, rows })}
      />
      {limited ? (
        <>
          <GrantRows
            rows={rows}
            faults={faultsOf(value)}
            buckets={(buckets.data ?? []).map((one) => one.name)}
            actions={bucketActions}
            readOnly={false}
            onChange={(next) => onChange({ limited, rows: next })}
          />
          {refusal === undefined ? null : <p className="bad small">{refusal}</p>}
          <div>
            <Button
              variant="default"
              leftSection={<IconPlus size={15} />}
              onClick={() => onChange({ limited, rows: [...rows, newRow()] })}
            >
              {text.addPart}
            </Button>
          </div>
        </>
      ) : null}
    </>
  )
}
