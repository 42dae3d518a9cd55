import type { BlobDriver } from './driver.ts'
import { fileDriver } from './fs.ts'

/** Opens the storage that `file:<folder>` names; throws on any other scheme. */
export async function openBlobs(storageUrl: string): Promise<BlobDriver> {
  if (storageUrl.startsWith('file:')) return fileDriver(storageUrl.slice('file:'.length))
  throw new Error('STORAGE_URL is not file:<folder>')
}
