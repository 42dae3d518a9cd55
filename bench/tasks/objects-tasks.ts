import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { sortNaturally } from '../../contract/natural-order.ts'
import { ADMIN } from '../../tests/support/server.ts'
import { until } from '../../tests/support/until.ts'
import { flat, seedObjects } from '../seed.ts'
import { bucketOf, dropOn, fileOf, row } from './contents.ts'
import { type Hand, handAt, type Task, type World } from './hand.ts'
import { kinds } from './kinds.ts'

const MIB = 1024 ** 2
/** What a preview is once it is there; the button is that of a file without one. */
const SHOWN = '.contents :is(img, pre, table, audio, button), .contents-pdf, .contents-json, .contents-markdown'

/** At a bucket of these files and a folder `sorted/`. */
async function atFiles(world: World, bucket: string, names: readonly string[]): Promise<Hand> {
  const files = Object.fromEntries(names.map((name) => [name, `of ${name}`]))
  await bucketOf(world, bucket, { ...files, 'sorted/zero.txt': 'zero' })
  const hand = await handAt(world, `/b/${bucket}`, { who: ADMIN })
  await hand.see(row(hand.page, 'sorted'))
  return hand
}

const undo = ({ page }: Hand) => page.getByRole('button', { name: 'Undo' }).first()

export const tasks: Task[] = [
  {
    number: 4,
    name: 'Upload a folder by drag and drop, with a hidden file in it',
    async prepare(world) {
      for (const name of ['plan.txt', 'offers/first.txt', '.DS_Store']) fileOf(world, `project/${name}`, name)
      return atFiles(world, 'dropped', ['a.txt'])
    },
    async run(hand, world) {
      const { page } = hand
      await dropOn(hand, page.getByRole('grid'), path.join(world.folder, 'project'))
      await hand.see(page.getByText('1 hidden file skipped'))
      await hand.click(page.getByRole('button', { name: 'Upload 2 files' }))
      await hand.see(row(page, 'project'))
      await hand.see(page.getByRole('heading', { name: '2 files uploaded' }))
    },
  },
  {
    number: 5,
    name: 'Upload a file by drag and drop, load the page again in the middle, and resume (64 MB instead of 2 GB)',
    async prepare(world) {
      fileOf(world, 'film.mp4', randomBytes(64 * MIB))
      const hand = await atFiles(world, 'large', ['a.txt'])
      const session = await hand.page.context().newCDPSession(hand.page)
      const limits = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 15 * MIB }
      await session.send('Network.enable')
      await session.send('Network.emulateNetworkConditions', limits)
      return hand
    },
    async run(hand, { server, folder }) {
      const { page } = hand
      const file = path.join(folder, 'film.mp4')
      const dock = page.getByRole('region', { name: 'Uploads' })
      await dropOn(hand, page.getByRole('grid'), file)
      await hand.click(page.getByRole('button', { name: 'Upload 1 file' }))
      await until(async () => {
        const { items } = await server.admin.listUploads({ params: { bucket: 'large' } })
        const [one] = items
        return one !== undefined && one.received_parts >= 3
      })
      // The browser asks whether to leave.
      page.once('dialog', (question) => {
        hand.steps++
        void question.accept()
      })
      await hand.open(page.url())
      await hand.see(dock.getByRole('heading', { name: '1 upload can be resumed' }))
      await hand.see(dock.getByText(/^\d+ MB of 64 MB arrived$/))
      await hand.click(dock.getByRole('button', { name: 'Show files' }))
      await hand.see(dock.getByRole('button', { name: 'Resume' }))
      await hand.click(dock.getByRole('button', { name: 'Resume' }))
      await hand.see(dock.getByRole('heading', { name: '1 file uploaded' }))
      await hand.see(row(page, 'film.mp4'))
    },
  },
  {
    number: 6,
    name: 'Browse to a folder, see it as tiles, and go back to the buckets',
    prepare: (world) => handAt(world, '/buckets', { who: ADMIN }),
    async run(hand) {
      const { page } = hand
      await hand.click(page.getByRole('link', { name: 'photos', exact: true }))
      await hand.see(row(page, '2026'))
      await hand.click(row(page, '2026').getByRole('link'))
      await hand.click(row(page, 'lisbon').getByRole('link'))
      await hand.see(row(page, 'harbour.jpg'))
      await hand.click(page.getByRole('button', { name: 'Tiles' }))
      await hand.see(page.locator('.tile img'))
      await hand.click(page.getByRole('main').getByRole('link', { name: 'Buckets' }))
      await hand.see(page.getByRole('link', { name: 'press-kit' }))
    },
  },
  {
    number: 7,
    name: 'Look at 20 files of different kinds on the full screen',
    async prepare(world) {
      const all = await kinds()
      await bucketOf(world, 'kinds', all)
      return handAt(world, '/b/kinds', { who: ADMIN })
    },
    async run(hand) {
      const { page } = hand
      const names = sortNaturally(Object.keys(await kinds()), (name) => name)
      const viewer = page.getByRole('dialog')
      await hand.click(row(page, names[0] as string).getByRole('link'))
      await hand.see(page.getByRole('complementary'))
      await hand.click(page.getByRole('complementary').getByRole('button', { name: 'Full screen' }))
      for (const [i, name] of names.entries()) {
        if (i > 0) await hand.press('ArrowRight')
        await hand.see(viewer.getByRole('heading', { name, exact: true }))
        await hand.see(viewer.locator(SHOWN))
      }
    },
  },
  {
    number: 8,
    name: 'Rename a folder with many objects (2,000 instead of 100,000, and the server stays up)',
    async prepare(world) {
      await bucketOf(world, 'renamed', { 'a.txt': 'a' })
      await seedObjects(world.server.env.DATABASE_URL as string, 'renamed', flat(2000))
      return handAt(world, '/b/renamed', { who: ADMIN })
    },
    async run(hand) {
      const { page } = hand
      await hand.click(row(page, 'flat').locator('.cell-type'))
      await hand.press('F2')
      await hand.fill(page.getByRole('dialog').getByLabel('New name'), 'summer')
      await hand.press('Enter')
      await hand.see(page.getByText('Renamed to summer: 2,000 objects'))
      await hand.see(row(page, 'summer'))
    },
  },
  {
    number: 9,
    name: 'Move 6 files chosen with Shift and Ctrl by the key m, and undo it',
    prepare: (world) => atFiles(world, 'moved', ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']),
    async run(hand) {
      const { page } = hand
      const cell = (name: string) => row(page, name).locator('.cell-type')
      await hand.click(cell('a'))
      await hand.click(cell('d'), { modifiers: ['Shift'] })
      await hand.click(cell('f'), { modifiers: ['Control'] })
      await hand.click(cell('h'), { modifiers: ['Control'] })
      await hand.see(page.getByText('6 selected'))
      await hand.press('m')
      await hand.see(page.getByRole('dialog'))
      await hand.click(page.getByRole('dialog').getByRole('button', { name: 'sorted', exact: true }))
      await hand.see(page.getByRole('dialog').getByText('moved/sorted/'))
      await hand.click(page.getByRole('dialog').getByRole('button', { name: 'Move here' }))
      await hand.see(page.getByText('6 objects moved to moved/sorted/'))
      await hand.click(undo(hand))
      await hand.see(page.getByText('6 objects moved back'))
      await hand.see(row(page, 'h'))
    },
  },
  {
    number: 10,
    name: 'Drag 2 selected files onto a folder, and undo it',
    prepare: (world) => atFiles(world, 'dragged', ['a', 'b', 'c']),
    async run(hand) {
      const { page } = hand
      await hand.click(row(page, 'a').getByRole('checkbox'))
      await hand.click(row(page, 'b').getByRole('checkbox'))
      await hand.drag(row(page, 'a').locator('.cell-name'), row(page, 'sorted'))
      await hand.see(page.getByText('2 objects moved to dragged/sorted/'))
      await hand.click(undo(hand))
      await hand.see(page.getByText('2 objects moved back'))
      await hand.see(row(page, 'a'))
    },
  },
  {
    number: 11,
    name: 'Search below a bucket, and share what was found from there',
    prepare: (world) =>
      atFiles(world, 'searched', ['2026/oslo/fjord-1.jpg', '2026/oslo/fjord-2.jpg', '2025/fjord/a.jpg']),
    async run(hand) {
      const { page } = hand
      await hand.press('/')
      await hand.type('fjord')
      await hand.see(row(page, 'fjord-1.jpg'))
      await hand.click(row(page, 'fjord-1.jpg').getByRole('button'))
      await hand.click(page.getByRole('menuitem', { name: 'Share…' }))
      await hand.see(page.getByRole('dialog', { name: 'Share fjord-1.jpg' }))
    },
  },
  {
    number: 12,
    name: 'Find a user by Ctrl+K',
    prepare: (world) => handAt(world, '/b/photos', { who: ADMIN }),
    async run(hand) {
      const { page } = hand
      await hand.see(row(page, '2026'))
      await hand.press('Control+k')
      await hand.see(page.getByRole('dialog'))
      await hand.type('ben')
      await hand.see(page.getByRole('dialog').getByRole('option', { name: 'Ben Okafor' }))
      await hand.press('Enter')
      await hand.see(page.getByRole('heading', { name: 'Ben Okafor' }))
    },
  },
  {
    number: 13,
    name: 'Delete a file, and undo it',
    prepare: (world) => atFiles(world, 'deleted', ['a', 'b', 'c']),
    async run(hand) {
      const { page } = hand
      await hand.click(row(page, 'b').locator('.cell-type'))
      await hand.press('Delete')
      await hand.see(page.getByText('1 object moved to the trash'))
      await hand.click(undo(hand))
      await hand.see(page.getByText('1 object restored'))
      await hand.see(row(page, 'b'))
    },
  },
  {
    number: 41,
    name: 'Delete a file where versions are kept, and undo it',
    async prepare(world) {
      const hand = await atFiles(world, 'with-versions', ['a', 'b', 'c'])
      await world.server.admin.updateBucket({ params: { bucket: 'with-versions' }, body: { versioning: 'enabled' } })
      await hand.page.reload()
      await hand.see(row(hand.page, 'sorted'))
      return hand
    },
    async run(hand) {
      const { page } = hand
      await hand.click(row(page, 'b').locator('.cell-type'))
      await hand.press('Delete')
      await hand.see(undo(hand))
      await row(page, 'b').waitFor({ state: 'detached' })
      await hand.click(undo(hand))
      await hand.see(row(page, 'b'))
    },
  },
  {
    number: 42,
    name: 'Copy a link to a file, for people who have access',
    prepare: (world) => atFiles(world, 'linked', ['a', 'b', 'c']),
    async run(hand) {
      const { page } = hand
      await hand.click(row(page, 'b').getByRole('link'))
      await hand.click(page.getByRole('complementary').getByRole('button', { name: 'Copy link' }))
      await hand.see(page.getByText(/copied/i))
    },
  },
]
