import type { Answered, Asked } from './etag.worker.ts'
import { etagOf } from './hash.ts'

let thread: Worker | null | undefined
let last = 0
const waiting = new Map<number, { file: Blob; partSize: number | undefined; settle: (etag: string | null) => void }>()

/** Computes here what the other thread did not answer, because the browser has not started it. */
function continueHere(): void {
  thread = null
  for (const [id, { file, partSize, settle }] of waiting) {
    waiting.delete(id)
    void etagOf(file, partSize).then(settle, () => settle(null))
  }
}

function start(): Worker | null {
  try {
    const made = new Worker(new URL('./etag.worker.ts', import.meta.url), { type: 'module' })
    made.addEventListener('message', ({ data: { id, etag } }: MessageEvent<Answered>) => {
      waiting.get(id)?.settle(etag)
      waiting.delete(id)
    })
    made.addEventListener('error', continueHere)
    return made
  } catch {
    return null
  }
}

/** The ETag that a file's object has, computed in a thread of its own; null if the file cannot be read. */
export function etagOfFile(file: Blob, partSize: number | undefined): Promise<string | null> {
  thread ??= start()
  return new Promise((settle) => {
    const id = ++last
    waiting.set(id, { file, partSize, settle })
    if (thread) thread.postMessage({ id, file, partSize } satisfies Asked)
    else continueHere()
  })
}
