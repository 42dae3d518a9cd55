import { invalidArgument, S3Error } from './errors.ts'

/** Every object has one version, `null`. Throws NoSuchVersion for any other. */
export function assertOnlyVersion(versionId: string | undefined): void {
  if (versionId === undefined || versionId === 'null') return
  if (versionId === '') throw invalidArgument('versionId', '', 'Version id cannot be the empty string')
  throw new S3Error('NoSuchVersion', 'The specified version does not exist.', { fields: { VersionId: versionId } })
}
