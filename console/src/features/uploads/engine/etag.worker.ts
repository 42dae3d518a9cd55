import { etagOf } from './hash.ts'

/** What is asked of this thread, and its answer. */
export interface Asked {
  id: number
  file: Blob
  partSize: number | undefined
}
export interface Answered {
  id: number
  /** Null: the file cannot be read. */
  etag: string | null
}

addEventListener('message', ({ data: { id, file, partSize } }: MessageEvent<Asked>) => {
  void etagOf(file, partSize)
    .catch(() => null)
    .then((etag) => postMessage({ id, etag } satisfies Answered))
})
