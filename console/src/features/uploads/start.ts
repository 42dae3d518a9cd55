import { createElement } from 'react'
import { meQuery, queries } from '../../api/queries.ts'
import { showInCorner } from '../../ui/corner.tsx'
import { openDialog, type Wanted } from './dialog.ts'
import { engine } from './instance.ts'
import { Uploads } from './Uploads.tsx'

const show = () => showInCorner('uploads', createElement(Uploads))

/** A multipart upload started elsewhere, and its file. */
interface Adopted {
  bucket: string
  key: string
  id: string
  partSize: number
  file: File
}

/** Opens the dialog, or resumes an upload started by another page or machine. */
export async function start(what: Wanted | { adopt: Adopted }): Promise<void> {
  const me = await queries.fetchQuery({ ...meQuery, staleTime: Number.POSITIVE_INFINITY })
  engine.serve(me.id)
  show()
  if (!('adopt' in what)) return openDialog(what)
  const { bucket, key, file, ...upload } = what.adopt
  await engine.adopt(bucket, key, upload, file)
}

/** Shows what an earlier page left unfinished. */
export async function recall(user: string): Promise<void> {
  engine.serve(user)
  if ((await engine.recall()) > 0) show()
}
