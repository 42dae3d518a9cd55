import fs from 'node:fs'
import path from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { dropFile } from '../../tests/support/launch.ts'
import type { Hand, World } from './hand.ts'

type Contents = string | Buffer | { body: string | Buffer; type: string }

/** Creates a bucket with these objects. */
export async function bucketOf({ server }: World, name: string, objects: Record<string, Contents>): Promise<void> {
  await server.admin.createBucket({ body: { name } })
  for (const [key, given] of Object.entries(objects)) {
    const { body, type } = typeof given === 'object' && 'body' in given ? given : { body: given, type: 'text/plain' }
    await server.admin.putObjectByQuery({
      params: { bucket: name },
      query: { key },
      body: Buffer.from(body as string) as BodyInit,
      headers: { 'content-type': type },
    })
  }
}

/** Writes a file into the folder of the tasks; gives where it is. */
export function fileOf({ folder }: World, name: string, body: string | Buffer): string {
  const file = path.join(folder, name)
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.writeFileSync(file, body)
  return file
}

/** The row of a name in a list of objects. */
export const row = (page: Page, name: string): Locator =>
  page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) })

/** A button that opens the system's picker, and a choice there: two steps. */
export async function choose(hand: Hand, button: Locator, files: string | readonly string[]): Promise<void> {
  const choosing = hand.page.waitForEvent('filechooser')
  await hand.click(button)
  hand.steps++
  await (await choosing).setFiles(files as string | string[])
}

/** Drags a file or folder of the system onto something and lets go: one step. */
export async function dropOn(hand: Hand, target: Locator, file: string): Promise<void> {
  hand.steps++
  const box = await target.boundingBox()
  if (!box) throw new Error('there is nothing to drop on')
  await dropFile(hand.page, { x: box.x + box.width / 2, y: box.y + box.height / 2 }, file)
}
