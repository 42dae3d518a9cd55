import { type BlobDriver, BlobMissing } from '../driver.ts'

/** Whether a driver has a blob with as many bytes as it has to have in the storage: reads its last one. */
export async function hasBlob(driver: BlobDriver, id: string, size: number): Promise<boolean> {
  const end = size - 1
  try {
    await driver.get(id, size, size === 0 ? undefined : { start: end, end })
    return true
  } catch (error) {
    if (error instanceof BlobMissing) return false
    throw error
  }
}
