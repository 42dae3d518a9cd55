import { Button } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import type { Job } from '../../../../contract/jobs.ts'
import { useMe } from '../../api/queries.ts'
import { useView } from '../../navigation/useView.ts'
import { notify } from '../../ui/notify.tsx'
import { beginJob } from './begin.ts'
import { text } from './messages.ts'

/** Continues a bucket's move to another storage, if something was left where it was. */
export function Resume({ job: { source_bucket, dest_storage, status, failed } }: { job: Job }) {
  const me = useMe()
  const { go } = useView()
  if (dest_storage === null || !me.isAdmin || (status === 'succeeded' && failed === 0)) return null
  const resume = async () => {
    try {
      const { id } = await beginJob({ kind: 'migrate', source_bucket, dest_storage })
      notify.note(text.resumed)
      await go(`/jobs/${id}`)
    } catch (error) {
      notify.problem(error)
    }
  }
  return (
    <Button leftSection={<IconRefresh size={15} />} onClick={resume}>
      {text.resume}
    </Button>
  )
}
