import { bucketName } from './places.ts'
import { agrees, objectsText, print, type Run } from './run.ts'

/** `release`: detaches a read-only bucket. Everything on its storage stays. */
export async function release({ client, json }: Run, target: string, yes: boolean): Promise<void> {
  const bucket = bucketName(target)
  const { object_count } = await client.getBucket({ params: { bucket } })
  const question = `Forget the bucket ${bucket} with ${objectsText(object_count)}, their tags and links? Everything on the storage stays.`
  if (!(await agrees(question, yes))) throw new Error('Nothing was released.')
  const { objects } = await client.releaseBucket({ params: { bucket } })
  await print(
    json
      ? `${JSON.stringify({ released: bucket, objects })}\n`
      : `Released the bucket ${bucket}, which showed ${objectsText(objects)}. Everything on the storage stays.\n`,
  )
}
