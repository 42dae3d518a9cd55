import { takeDrop } from './engine/drop.ts'

export interface UploadRequest {
  bucket: string
  /** The folder that files go into: '' or a text that ends with a slash. */
  prefix: string
  /** What was dropped there; without it people choose in the dialog. */
  drop?: DataTransfer
}

/**
 * Opens the upload dialog. With a drop it has to be called in the drop's own event handler, since browsers give its files
 * only there; the rest of the uploads' code is fetched afterwards.
 */
export async function openUpload({ bucket, prefix, drop }: UploadRequest): Promise<void> {
  const taken = drop && takeDrop(drop)
  const { start } = await import('./start.ts')
  await start({ bucket, prefix, ...(taken ? { taken } : {}) })
}

/** Brings back uploads that an earlier page left unfinished, if there are any. */
export async function recallUploads(user: string): Promise<void> {
  try {
    if (localStorage.getItem('stowage-uploads') === null) return
  } catch {
    return
  }
  const { recall } = await import('./start.ts')
  await recall(user)
}
