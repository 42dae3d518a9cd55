import { takeDrop } from './engine/drop.ts'

export interface UploadRequest {
  bucket: string
  /** The destination folder: '' or a prefix that ends with a slash. */
  prefix: string
  /** The drop; without it users choose files in the dialog. */
  drop?: DataTransfer
}

/**
 * Opens the upload dialog. With a drop, call it in the drop's own event handler, since browsers hand out its files only
 * there. The rest of the uploads' code is loaded afterwards.
 */
export async function openUpload({ bucket, prefix, drop }: UploadRequest): Promise<void> {
  const taken = drop && takeDrop(drop)
  const { start } = await import('./start.ts')
  await start({ bucket, prefix, ...(taken ? { taken } : {}) })
}

/** Restores uploads that an earlier page left unfinished, if any. */
export async function recallUploads(user: string): Promise<void> {
  try {
    if (localStorage.getItem('strongroom-uploads') === null) return
  } catch {
    return
  }
  const { recall } = await import('./start.ts')
  await recall(user)
}
