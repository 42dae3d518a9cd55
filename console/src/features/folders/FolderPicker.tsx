import { Button, TextInput } from '@mantine/core'
import { IconFile, IconFolder, IconFolderPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { client } from '../../api/session.ts'
import { hasEmptyName, legible, nameOf } from '../../keys.ts'
import { StateView } from '../../ui/StateView.tsx'
import { text } from './messages.ts'
import { Steps } from './Trail.tsx'

const MOST = 1000

/** A folder picker. A new folder exists once something is put into it. With `onFile` it also lists files to choose. */
export function FolderPicker({
  to,
  go,
  mayCreate,
  onFile,
}: {
  to: { bucket: string; prefix: string }
  go: (prefix: string) => void
  mayCreate: boolean
  onFile?: (key: string) => void
}) {
  const [name, setName] = useState<string>()
  const listed = useQuery({
    queryKey: ['browse', to.bucket, to.prefix, 'folders'],
    queryFn: ({ signal }) =>
      client.browse({
        params: { bucket: to.bucket },
        query: { prefix: to.prefix, sort: 'natural', offset: 0, limit: MOST },
        signal,
      }),
  })
  const fault = name !== undefined && hasEmptyName(name.replace(/\/+$/, '')) ? text.emptyName : undefined
  const enter = () => {
    if (fault !== undefined) return
    if (name?.trim()) go(`${to.prefix}${name.replace(/\/+$/, '')}/`)
    setName(undefined)
  }
  return (
    <section className="browse-folders" aria-label={text.target} tabIndex={-1} data-autofocus>
      <div className="browse-folders-head">
        <Steps bucket={to.bucket} prefix={to.prefix} go={go} />
        {mayCreate ? (
          <Button
            variant="subtle"
            leftSection={<IconFolderPlus size={15} />}
            onClick={() => setName(name === undefined ? '' : undefined)}
          >
            {text.newFolder}
          </Button>
        ) : null}
      </div>
      {name === undefined ? null : (
        <form
          className="browse-folders-new"
          onSubmit={(event) => {
            event.preventDefault()
            // The dialog can be part of a form.
            event.stopPropagation()
            enter()
          }}
        >
          <TextInput
            aria-label={text.folderName}
            placeholder={text.folderName}
            value={name}
            error={fault}
            onChange={(event) => setName(event.currentTarget.value)}
            data-autofocus
          />
          <Button type="submit" variant="default" disabled={!name.trim() || fault !== undefined}>
            {text.create}
          </Button>
        </form>
      )}
      <div className="browse-folders-list">
        <StateView query={listed}>
          {({ common_prefixes, objects, total, total_folders }) =>
            common_prefixes.length === 0 && (!onFile || objects.length === 0) ? (
              <p className="dim browse-folders-none">{onFile ? text.emptyFolder : text.noFolders}</p>
            ) : (
              <>
                <ul>
                  {common_prefixes.map((prefix) => (
                    <li key={prefix}>
                      <button type="button" onClick={() => go(prefix)}>
                        <IconFolder size={16} className="browse-folder-icon" aria-hidden />
                        <bdi>{legible(nameOf(prefix, to.prefix)) || text.noName}</bdi>
                      </button>
                    </li>
                  ))}
                  {(onFile ? objects : []).map(({ key }) => (
                    <li key={key}>
                      <button type="button" onClick={() => onFile?.(key)}>
                        <IconFile size={16} aria-hidden />
                        <bdi>{legible(nameOf(key, to.prefix)) || text.noName}</bdi>
                      </button>
                    </li>
                  ))}
                </ul>
                {onFile && total > MOST ? <p className="dim">{text.firstRows(MOST)}</p> : null}
                {!onFile && (total_folders ?? 0) > MOST ? <p className="dim">{text.moreFolders(MOST)}</p> : null}
              </>
            )
          }
        </StateView>
      </div>
    </section>
  )
}
