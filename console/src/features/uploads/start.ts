import { createElement } from 'react'
import { meQuery, queries } from '../../api/queries.ts'
import { showInCorner } from '../../shell/corner.tsx'
import { engine } from './engine.ts'
import { Uploads } from './Uploads.tsx'
import { openDialog, type Wanted } from './wanted.ts'

const show = () => showInCorner('uploads', createElement(Uploads))

/** Opens the dialog. */
export async function start(what: Wanted): Promise<void> {
  const me = await queries.fetchQuery({ ...meQuery, staleTime: Number.POSITIVE_INFINITY })
  engine.serve(me.id)
  show()
  openDialog(what)
}

/** Shows what an earlier page has left unfinished. */
export async function recall(user: string): Promise<void> {
  engine.serve(user)
  if ((await engine.recall()) > 0) show()
}
