import { Button, UnstyledButton } from '@mantine/core'
import { IconFilter } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import type { AuditRecord } from '../../../../contract/audit.ts'
import { legible } from '../../keys.ts'
import { useView } from '../../navigation/useView.ts'
import { useMedia } from '../../ui/useMedia.ts'
import type { FilterName } from './filters.ts'
import { text } from './messages.ts'

/**
 * A value in the list: a click shows only the records with it. Keys get to the same in the open record, so that each row
 * is one stop for them.
 */
export function Pick({ name, value, children }: { name: FilterName; value: string | null; children: ReactNode }) {
  const { search, open } = useView()
  // A finger that means the row would hit it.
  const isNarrow = useMedia('(max-width: 800px)')
  if (!value || isNarrow || search[name] === value) return children
  return (
    <UnstyledButton
      className="audit-pick"
      tabIndex={-1}
      title={text.onlyOne(legible(value))}
      onClick={() => void open({ [name]: value, e: undefined })}
    >
      {children}
    </UnstyledButton>
  )
}

/** The values of an open record to filter by. It stays open: it has them. */
export function Only({ record }: { record: AuditRecord }) {
  const { search, open } = useView()
  const { actor, action, bucket, object_key, resource_id, actor_ip, request_id } = record
  const values: readonly [FilterName, string | null][] = [
    ['actor', actor.email ?? actor.user_id],
    ['action', action],
    ['bucket', bucket],
    ['key', object_key],
    ['about', bucket === null ? resource_id : null],
    ['ip', actor_ip],
    ['request', request_id],
  ]
  const others = values.filter(([name, value]) => value && search[name] !== value)
  if (others.length === 0) return null
  return (
    <section className="audit-only" aria-label={text.only}>
      <span className="dim small">{text.only}</span>
      {others.map(([name, value]) => (
        <Button
          key={name}
          className="audit-chip"
          size="compact-sm"
          variant="default"
          leftSection={<IconFilter size={13} />}
          onClick={() => void open({ [name]: value ?? undefined })}
        >
          <bdi>{text.is(text[name], legible(value ?? ''))}</bdi>
        </Button>
      ))}
    </section>
  )
}
