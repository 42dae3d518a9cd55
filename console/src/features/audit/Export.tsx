import { client } from '../../api/session.ts'
import { ExportMenu } from '../../ui/ExportMenu.tsx'
import type { AuditQuery } from './filters.ts'
import { text } from './messages.ts'

/** Exports all matching records to a file. */
export const Export = ({ query }: { query: AuditQuery }) => (
  <ExportMenu
    texts={{ ...text, label: text.export }}
    variant="default"
    name={`audit-${new Date().toISOString().slice(0, 10)}`}
    ask={(format) => client.exportAudit({ query: { ...query, format } })}
  />
)
