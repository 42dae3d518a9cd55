import './recovery.css'
import { Anchor, Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { bucketsQuery } from '../../api/buckets.ts'
import { useMe } from '../../api/queries.ts'
import { formatBytes, formatShare } from '../../i18n.ts'
import { Link } from '../../navigation/Link.tsx'
import { Page } from '../../ui/Page.tsx'
import { ForbiddenView } from '../../ui/ProblemView.tsx'
import { StateView } from '../../ui/StateView.tsx'
import { Contents } from './Contents.tsx'
import { Database } from './Database.tsx'
import { text } from './messages.ts'
import { usageQuery } from './queries.ts'
import { Replicas } from './Replicas.tsx'

/** What of the whole service can be lost, and how to get it back, with what is so right now. */
export default function Recovery() {
  const me = useMe()
  if (!me.isAdmin)
    return (
      <Page title={text.title}>
        <ForbiddenView right={text.right} />
      </Page>
    )
  return (
    <Page title={text.title} hint={text.hint} call={{ operation: 'listStorages' }}>
      <div className="recovery">
        <Contents />
        <Database />
        <Mistakes />
        <Encryption />
        <Replicas />
      </div>
    </Page>
  )
}

function Encryption() {
  const usage = useQuery(usageQuery)
  return (
    <section className="card stack-tight" aria-labelledby="recovery-encryption">
      <h2 id="recovery-encryption">{text.encryption}</h2>
      <StateView query={usage}>
        {({ used_bytes, encrypted_bytes }) =>
          encrypted_bytes === 0 ? (
            <p>{text.notEncrypted}</p>
          ) : (
            <p>
              {text.encrypted(
                formatShare(used_bytes === 0 ? 1 : encrypted_bytes / used_bytes),
                formatBytes(encrypted_bytes),
                formatBytes(used_bytes),
              )}
            </p>
          )
        }
      </StateView>
      <p className="dim">{text.encryptHow}</p>
      <div className="recovery-actions">
        <Button variant="default" component={Link} to="/admin/kms-keys">
          {text.keys}
        </Button>
        <Button variant="default" component={Link} to="/admin/settings" search={{ tab: 'encryption' }}>
          {text.settings}
        </Button>
      </div>
    </section>
  )
}

function Mistakes() {
  const buckets = useQuery(bucketsQuery)
  return (
    <section className="card stack-tight" aria-labelledby="recovery-mistakes">
      <h2 id="recovery-mistakes">{text.mistakes}</h2>
      <StateView query={buckets}>
        {(all) => {
          const own = all.filter(({ mode }) => mode !== 'read_only')
          const open = own.filter(({ trash_days, versioning }) => trash_days === 0 && versioning === 'off')
          return open.length === 0 ? (
            <p>{text.kept(own.length)}</p>
          ) : (
            <>
              <p className="warn">{text.notKept}</p>
              <ul className="recovery-buckets">
                {open.map(({ name }) => (
                  <li key={name}>
                    <Anchor component={Link} to={`/b/${name}/protection`} data-data>
                      {name}
                    </Anchor>
                  </li>
                ))}
              </ul>
            </>
          )
        }}
      </StateView>
      <p className="dim">{text.undoHow}</p>
    </section>
  )
}
