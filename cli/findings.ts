import { bucketName, printable, show } from './places.ts'
import { print, type Run } from './run.ts'

/** `findings`: lists what others did where a bucket was taken over, in key order. */
export async function findings({ client, json }: Run, target: string): Promise<void> {
  const bucket = bucketName(target)
  for await (const finding of client.all.listFindings({ params: { bucket } })) {
    const { key, kind, object, size, found_at } = finding
    // The object may have another key by now.
    const renamed = object === null || object === key ? '' : ` (now ${show(bucket, object)})`
    const line = [kind.padEnd(7), String(size ?? '').padStart(15), `${found_at.slice(0, 19)}Z ${printable(key)}`]
    await print(`${json ? JSON.stringify(finding) : `${line.join('  ')}${renamed}`}\n`)
  }
}
