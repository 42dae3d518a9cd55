// A program in a pod, as bench/pods.ts starts them: AWS' SDK with what its environment says, and nothing else. It writes and reads
// until it is told to stop, and prints what came of it as JSON.
import { text } from 'node:stream/consumers'
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'

const [Bucket = '', pauseMs = '100'] = process.argv.slice(2)
const s3 = new S3Client({ forcePathStyle: true, maxAttempts: 1 })
const sessions = new Set<string>()
const failures: string[] = []
let requests = 0
let isOver = false

async function one(send: () => Promise<unknown>): Promise<void> {
  requests++
  try {
    await send()
    sessions.add((await s3.config.credentials()).accessKeyId)
  } catch (error) {
    failures.push(`${new Date().toISOString()} ${(error as Error).name}: ${(error as Error).message}`)
  }
}

async function work(Key: string): Promise<void> {
  while (!isOver) {
    await one(() => s3.send(new PutObjectCommand({ Bucket, Key, Body: Buffer.alloc(4096, Key) })))
    await one(async () => (await s3.send(new GetObjectCommand({ Bucket, Key }))).Body?.transformToByteArray())
    await new Promise((resolve) => setTimeout(resolve, Number(pauseMs)))
  }
}

const over = text(process.stdin).then(() => {
  isOver = true
})
await Promise.all([over, ...Array.from({ length: 4 }, (_, i) => work(`js-${i}`))])
process.stdout.write(JSON.stringify({ requests, failures, sessions: sessions.size }))
