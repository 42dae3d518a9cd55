import type { BlobDriver } from './driver.ts'
import { fileDriver } from './fs.ts'

/**
 * Opens the storage a URL names: `file:<folder>`, where a relative folder is below the working directory. Throws on any
 * other scheme, and when the folder cannot be made.
 */
export async function openBlobs(storageUrl: string): Promise<BlobDriver> {
  const folder = /^file:(.+)$/s.exec(storageUrl)?.[1]
  if (folder === undefined) throw new Error('STORAGE_URL has to be file:<folder>; no other storage is supported')
  return fileDriver(folder)
}
