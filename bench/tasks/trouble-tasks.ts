import type { CDPSession, Page } from 'playwright-core'
import { createClient } from '../../client/derived.ts'
import { freePort } from '../../tests/support/idp.ts'
import { type ServerProcess, spawnServer } from '../../tests/support/process.ts'
import { ADMIN, serverEnv, type TestServer } from '../../tests/support/server.ts'
import { flat, seedObjects } from '../seed.ts'
import { Hand, handAt, type Task, type World } from './hand.ts'

const KIM = { email: 'kim.away@example.com', password: 'a password of the tasks' }
const row = (page: Page, name: string) =>
  page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) })

/** Ends all sessions of a user, as an administrator or the time does. */
async function endSessions(server: TestServer, { email, password }: typeof KIM): Promise<void> {
  const other = server.as(await server.login(email, password))
  for (const { id, current } of (await other.listSessions()).items)
    if (!current) await other.endSession({ params: { id } })
}

/** Presses Tab until something has the focus, as those do who use no mouse: each is a step. */
async function tabTo(hand: Hand, name: RegExp | 'grid'): Promise<void> {
  for (let i = 0; i < 60; i++) {
    const at = await hand.page.evaluate(() => {
      const { activeElement: one } = document
      if (one?.closest('[role=grid]')) return 'grid'
      return one === document.body ? '' : (one?.getAttribute('aria-label') ?? one?.textContent ?? '')
    })
    if (name === 'grid' ? at === 'grid' : name.test(at)) return
    await hand.press('Tab')
  }
  throw new Error(`${name} is not reached by 60 tabs`)
}

/** Slow 3G (400 kbit/s, 400 ms), and a processor of a quarter of the speed. */
async function slowDown(session: CDPSession): Promise<void> {
  await session.send('Network.enable')
  await session.send('Network.clearBrowserCache')
  const bytes = 400_000 / 8
  const network = { offline: false, latency: 400, downloadThroughput: bytes, uploadThroughput: bytes }
  await session.send('Network.emulateNetworkConditions', network)
  await session.send('Emulation.setCPUThrottlingRate', { rate: 4 })
}

let killable: { running: ServerProcess; env: Record<string, string> }
/** A service in a process of its own, with a folder that takes a while to delete. */
async function killableService({ folder }: World): Promise<TestServer> {
  const env = { ...serverEnv(`${folder}/killed`), PORT: String(await freePort()) }
  const running = await spawnServer(env)
  killable = { running, env }
  const { access_token } = await createClient({ baseUrl: running.url }).login({
    body: { username: ADMIN.email, password: ADMIN.password },
  })
  await createClient({ baseUrl: running.url, token: access_token }).createBucket({ body: { name: 'large' } })
  await seedObjects(env.DATABASE_URL, 'large', flat(30_000))
  return { url: running.url, clock: { now: () => new Date() } } as TestServer
}

const ODD = [
  '日本/é',
  '/leading',
  'a//double',
  'true/yes',
  'null/0',
  'עברית/قائمة.txt',
  '😀/😀.txt',
  '../up',
  './here',
  '"quotes" \'and\' `ticks`',
  '<script>window.hacked = 1</script>',
  'evil\u202Egnp.txt',
  'trailing space ',
  '%2e%2e%2fescaped',
  'new\u2028line',
  `${'long'.repeat(60)}.txt`,
]

export const tasks: Task[] = [
  {
    number: 33,
    name: 'Session ends while a form is filled in',
    async prepare(world) {
      await world.server.admin.createUser({ body: { ...KIM, display_name: 'Kim Away' } })
      return handAt(world, '/tokens', { who: KIM })
    },
    async run(hand, { server }) {
      const { page } = hand
      await hand.click(page.getByRole('button', { name: 'New token' }).first())
      await hand.fill(page.getByRole('dialog').getByLabel('Name'), 'Backup on NAS')
      await endSessions(server, KIM)
      await hand.press('Enter')
      await hand.see(page.getByRole('dialog', { name: 'Your session expired' }))
      await hand.type(KIM.password)
      await hand.press('Enter')
      await page.getByRole('dialog', { name: 'Your session expired' }).waitFor({ state: 'detached' })
      await hand.click(page.getByRole('dialog').getByRole('button', { name: 'Create token' }))
      await hand.see(page.getByRole('dialog').getByLabel('Token', { exact: true }))
    },
  },
  {
    number: 34,
    name: 'Two tabs: a new bucket in one is seen in the other, and a sign-out acts in both',
    prepare: (world) => handAt(world, '/buckets', { who: ADMIN }),
    async run(hand, { server }) {
      const { page } = hand
      await hand.see(page.getByRole('link', { name: 'photos' }))
      const second = new Hand(await page.context().newPage())
      await second.open(`${server.url}/console/buckets`)
      await second.click(second.page.getByRole('button', { name: 'New bucket' }))
      await second.fill(second.page.getByLabel('Name', { exact: true }), 'two-tabs')
      await second.press('Enter')
      await second.see(second.page.getByText('This bucket is empty'))
      await hand.see(page.getByRole('link', { name: 'two-tabs' }))
      await second.click(second.page.getByRole('button', { name: 'Account' }))
      await second.click(second.page.getByRole('menuitem', { name: 'Sign out' }))
      await second.see(second.page.getByRole('button', { name: 'Sign in' }))
      await hand.see(page.getByRole('button', { name: 'Sign in' }))
      hand.steps += second.steps
    },
  },
  {
    number: 35,
    name: 'Keyboard only: into a folder, delete a file, undo',
    prepare: (world) => handAt(world, '/b/photos?prefix=2026/', { who: ADMIN }),
    async run(hand) {
      const { page } = hand
      await hand.see(row(page, 'oslo'))
      await tabTo(hand, 'grid')
      await hand.press('Enter')
      await hand.see(row(page, 'bridge.jpg'))
      await hand.press('Space')
      await hand.press('Delete')
      await row(page, 'bridge.jpg').waitFor({ state: 'detached' })
      await tabTo(hand, /^Undo$/)
      await hand.press('Enter')
      await hand.see(row(page, 'bridge.jpg'))
    },
  },
  {
    number: 36,
    name: 'First visit on slow 3G with a quarter of the CPU: a bucket, a folder, a file',
    async prepare(world) {
      const hand = await handAt(world, '/404', { who: ADMIN })
      await slowDown(await hand.page.context().newCDPSession(hand.page))
      return hand
    },
    async run(hand, { server }) {
      const { page } = hand
      await hand.open(`${server.url}/console/b/photos?prefix=2026/`)
      await hand.see(row(page, 'lisbon'))
      await hand.click(page.getByRole('link', { name: 'lisbon', exact: true }))
      await hand.see(row(page, 'notes.txt'))
      await hand.click(page.getByRole('link', { name: 'notes.txt' }))
      await hand.see(page.getByRole('complementary').getByText('tram 28'))
    },
  },
  {
    number: 37,
    name: 'Server killed while it deletes 30,000 objects, and started again',
    async prepare(world) {
      const server = await killableService(world)
      const hand = await handAt({ ...world, server }, '/b/large', { who: ADMIN })
      hand.page.context().once('close', () => void killable.running.kill('SIGKILL'))
      return hand
    },
    async run(hand) {
      const { page } = hand
      await hand.click(row(page, 'flat').getByRole('checkbox'))
      await hand.press('Delete')
      await hand.see(page.getByRole('link', { name: '1 job running' }))
      await killable.running.kill('SIGKILL')
      await hand.see(page.getByText('Can’t reach the server'))
      killable.running = await spawnServer(killable.env)
      await page.getByText('Can’t reach the server').waitFor({ state: 'detached' })
      await hand.click(page.getByRole('navigation').getByRole('link', { name: 'Jobs' }))
      await page.getByText('Succeeded').nth(1).waitFor({ timeout: 120_000 })
    },
  },
  {
    number: 38,
    name: 'A folder of 20,000 objects: open it, go to its end, sort, select all',
    async prepare(world) {
      await world.server.admin.createBucket({ body: { name: 'many' } })
      await seedObjects(world.server.env.DATABASE_URL ?? '', 'many', flat(20_000))
      return handAt(world, '/b/many', { who: ADMIN })
    },
    async run(hand) {
      const { page } = hand
      await hand.click(page.getByRole('link', { name: 'flat', exact: true }))
      await hand.see(row(page, 'IMG_0000000.jpg'))
      await hand.press('End')
      await hand.see(row(page, 'IMG_0019999.jpg'))
      await hand.click(page.getByRole('button', { name: 'Size' }))
      await page.waitForURL((url) => url.searchParams.get('sort') === 'size')
      await hand.click(page.getByRole('checkbox', { name: 'Select all in this folder' }))
      await hand.see(page.getByText('20,000 selected'))
    },
  },
  {
    number: 39,
    name: '16 hostile names: all are listed unchanged, and open',
    async prepare(world) {
      await world.server.admin.createBucket({ body: { name: 'odd' } })
      for (const key of ODD)
        await world.server.admin.putObjectByQuery({ params: { bucket: 'odd' }, query: { key }, body: `of ${key}` })
      return handAt(world, '/b/odd', { who: ADMIN })
    },
    async run(hand) {
      const { page } = hand
      const contents = page.locator('.contents-words pre')
      await hand.see(page.getByText('10 folders, 6 objects'))
      await hand.click(page.locator('[data-name]').filter({ hasText: 'evil⟨U+202E⟩gnp.txt' }))
      await hand.see(contents.getByText('of evil'))
      await hand.click(page.locator('[data-name]').filter({ hasText: 'trailing space' }))
      await hand.see(contents.getByText('of trailing space'))
      await hand.click(page.locator('[data-folder="<script>window.hacked = 1</"] [data-name]'))
      await hand.click(page.locator('[data-name]').filter({ hasText: 'script>' }))
      await hand.see(contents.getByText('window.hacked'))
      if (await page.evaluate(() => 'hacked' in window)) throw new Error('A name ran as a script')
    },
  },
  {
    number: 40,
    name: 'Empty a bucket and delete it',
    async prepare(world) {
      await world.server.admin.createBucket({ body: { name: 'doomed' } })
      for (let i = 0; i < 12; i++)
        await world.server.admin.putObjectByQuery({ params: { bucket: 'doomed' }, query: { key: `${i}` }, body: 'x' })
      return handAt(world, '/b/doomed/settings', { who: ADMIN })
    },
    async run(hand) {
      const { page } = hand
      const dialog = page.getByRole('dialog')
      await hand.click(page.getByRole('button', { name: 'Empty bucket' }))
      await hand.fill(dialog.getByLabel('Type doomed to confirm'), 'doomed')
      await hand.press('Enter')
      await hand.see(page.getByText('12 of 12 objects'))
      await hand.click(page.getByRole('button', { name: 'Delete bucket' }))
      await hand.fill(dialog.getByLabel('Type doomed to confirm'), 'doomed')
      await hand.press('Enter')
      await page.waitForURL('**/console/buckets')
      await hand.see(page.getByRole('link', { name: 'photos' }))
    },
  },
]
