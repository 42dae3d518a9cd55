import { useMe } from './queries.ts'

/** Where S3 clients reach the service; null without an S3 endpoint. */
export function useEndpoint(): { endpoint: string; region: string } | null {
  const { s3 } = useMe()
  return s3 && { endpoint: s3.url ?? `http://${location.hostname}:${s3.port}`, region: s3.region }
}
