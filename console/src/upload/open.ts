import { queries } from '../api/queries.ts'
import { client } from '../api/session.ts'
import { notify } from '../ui/notify.tsx'

export interface UploadRequest {
  bucket: string
  prefix: string
  /** What was dropped. It can be read only while the event is handled, so its files are taken at once. */
  drop?: DataTransfer
}

const choose = (): Promise<File[]> =>
  new Promise((resolve) => {
    const input = document.createElement('input')
    input.type = 'file'
    input.multiple = true
    input.onchange = () => resolve([...(input.files ?? [])])
    input.oncancel = () => resolve([])
    input.click()
  })

/** Puts files into a folder, those that were dropped or are chosen now, one after the other. */
export async function openUpload({ bucket, prefix, drop }: UploadRequest): Promise<void> {
  const files = drop ? [...drop.files] : await choose()
  for (const file of files)
    try {
      const headers: Record<string, string> = file.type ? { 'content-type': file.type } : {}
      await client.putObjectByQuery({
        params: { name: bucket },
        query: { key: prefix + file.name },
        body: file,
        headers,
      })
      notify.ok(file.name)
    } catch (error) {
      notify.problem(error)
    }
  await queries.invalidateQueries({ queryKey: ['browse', bucket] })
}
