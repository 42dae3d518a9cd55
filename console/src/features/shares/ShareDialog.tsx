import { Button, Modal } from '@mantine/core'
import { useState } from 'react'
import { client } from '../../api/session.ts'
import { catalogue } from '../../i18n.ts'
import { CopyField } from '../../ui/CopyField.tsx'
import { notify } from '../../ui/notify.tsx'

const text = catalogue({ title: 'Share', make: 'Make a link', link: 'Link' })

interface Props {
  bucket: string
  objectKey?: string
  prefix?: string
  keys?: readonly string[]
  onClose: () => void
}

/** Makes a share link with the default limits, and shows it once. */
export default function ShareDialog({ bucket, objectKey, prefix, keys, onClose }: Props) {
  const [url, setUrl] = useState<string>()
  const make = async () => {
    const what =
      objectKey !== undefined
        ? { kind: 'object' as const, key: objectKey }
        : keys
          ? { kind: 'selection' as const, keys: [...keys] }
          : { kind: 'folder' as const, prefix: prefix ?? '' }
    try {
      setUrl((await client.createShare({ body: { bucket, ...what } })).url)
    } catch (error) {
      notify.problem(error)
    }
  }
  return (
    <Modal opened onClose={onClose} title={text.title}>
      {url === undefined ? (
        <Button onClick={() => void make()}>{text.make}</Button>
      ) : (
        <CopyField label={text.link} hideLabel={false} value={url} mono />
      )}
    </Modal>
  )
}
