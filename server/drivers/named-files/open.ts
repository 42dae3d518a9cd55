import { parseS3Url, storageFolder } from '../open.ts'
import type { S3Credentials } from '../s3/client.ts'
import { namedFilesIn } from './folder.ts'
import type { NamedFiles } from './named-files.ts'

/** Opens `file:<folder>` or `s3://…`, as STORAGE_URL; nothing is asked or created yet. Throws on anything else. */
export async function openNamedFiles(url: string, credentials: S3Credentials | null): Promise<NamedFiles> {
  const folder = storageFolder(url)
  if (folder !== undefined) return namedFilesIn(folder)
  if (!url.startsWith('s3:')) throw new Error('must be file:<folder> or s3://<bucket>')
  // The SDK takes a third of a second to load.
  const { namedObjectsIn } = await import('./s3.ts')
  return namedObjectsIn({ ...parseS3Url(url), credentials: credentials ?? undefined })
}
