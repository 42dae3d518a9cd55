import { ADMIN } from '../../tests/support/server.ts'
import { choose, fileOf, row } from './contents.ts'
import { type Hand, handAt, type Task, type World } from './hand.ts'

type Link = Parameters<World['server']['admin']['createShare']>[0]['body']
const PASSWORD = 'harbour at noon'

const linkTo = async ({ server }: World, body: Link) => {
  const link = await server.admin.createShare({ body })
  server.secrets.add(link.token)
  return link
}

/** Waits for a download that a step starts. */
async function download(hand: Hand, step: () => Promise<void>): Promise<void> {
  const saved = hand.page.waitForEvent('download')
  await step()
  await (await saved).path()
}

/** As the administrator, who may use the clipboard. */
async function asSharer(world: World, at: string): Promise<Hand> {
  const hand = await handAt(world, at, { who: ADMIN })
  await hand.page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  world.server.secrets.add(PASSWORD)
  return hand
}

const lisbon = '/b/photos?prefix=2026%2Flisbon%2F'
const fog = { kind: 'object', bucket: 'photos', key: '2026/lisbon/fog.jpg', expires_in: '30d' } as const

export const tasks: Task[] = [
  {
    number: 14,
    name: 'Share a file by a link with a password and 3 downloads',
    async prepare(world) {
      const hand = await asSharer(world, lisbon)
      await hand.see(row(hand.page, 'dunes.jpg'))
      return hand
    },
    async run(hand) {
      const { page } = hand
      const dialog = page.getByRole('dialog')
      await hand.click(row(page, 'dunes.jpg').getByRole('button'))
      await hand.click(page.getByRole('menuitem', { name: 'Share…' }))
      await hand.see(dialog.getByLabel('Password', { exact: true }))
      await hand.fill(dialog.getByLabel('Password', { exact: true }), PASSWORD)
      await hand.fill(dialog.getByLabel('Maximum downloads'), '3')
      await hand.click(dialog.getByRole('button', { name: 'Create link' }))
      await hand.click(dialog.getByRole('button', { name: 'Copy link' }))
      await hand.see(dialog.getByRole('button', { name: 'Link copied' }))
    },
  },
  {
    number: 15,
    name: 'A stranger on a phone: the wrong password, the right one, download',
    async prepare(world) {
      const link = await linkTo(world, { ...fog, password: PASSWORD, max_downloads: 3 })
      return handAt(world, `/s/${link.token}`, { phone: true })
    },
    async run(hand) {
      const { page } = hand
      const field = page.getByLabel('Password', { exact: true })
      const open = page.getByRole('button', { name: 'Open' })
      await hand.fill(field, 'harbor at noon')
      await hand.click(open)
      await hand.see(page.getByText('Wrong password.'))
      await hand.fill(field, PASSWORD)
      await hand.click(open)
      await hand.see(page.getByText('3 of 3 downloads left'))
      await download(hand, () => hand.click(page.getByRole('link', { name: 'Download' })))
      await hand.see(page.getByText('2 of 3 downloads left'))
    },
  },
  {
    number: 16,
    name: 'A stranger takes the last download of a link, and comes again',
    async prepare(world) {
      const link = await linkTo(world, { ...fog, max_downloads: 1 })
      return handAt(world, `/s/${link.token}`, { phone: true })
    },
    async run(hand) {
      const { page } = hand
      await hand.see(page.getByText('1 of 1 download left'))
      await download(hand, () => hand.click(page.getByRole('link', { name: 'Download' })))
      await hand.see(page.getByText('This was the last download of this link'))
      await hand.open(page.url())
      await hand.see(page.getByRole('heading', { name: 'This link is no longer available' }))
    },
  },
  {
    number: 17,
    name: 'A stranger looks through a shared folder of pictures and takes all of it',
    prepare: (world) => handAt(world, `/s/${world.demo.links.folder}`),
    async run(hand) {
      const { page } = hand
      const viewer = page.getByRole('dialog')
      await hand.see(page.getByText('10 files'))
      await hand.click(page.getByRole('link', { name: 'Open bridge.jpg' }))
      await hand.see(viewer.getByRole('heading', { name: 'bridge.jpg' }))
      await hand.press('ArrowRight')
      await hand.see(viewer.getByRole('heading', { name: 'dunes.jpg' }))
      await hand.click(viewer.getByRole('button', { name: 'Close' }))
      const all = page.getByRole('link', { name: 'Download all (zip)' })
      await download(hand, () => hand.click(all))
      await hand.see(page.getByText(/^Download started: 10 files/))
    },
  },
  {
    number: 18,
    name: 'Ask others for files, into the top of a bucket',
    prepare: (world) => asSharer(world, '/shares'),
    async run(hand) {
      const { page } = hand
      const dialog = page.getByRole('dialog')
      await hand.click(page.getByRole('button', { name: 'Request files' }))
      await hand.see(dialog)
      await hand.click(dialog.getByRole('combobox', { name: 'Bucket' }))
      await hand.click(page.getByRole('option', { name: 'press-kit' }))
      await hand.click(dialog.getByRole('button', { name: 'Request files for press-kit/' }))
      await hand.see(dialog.getByLabel('Maximum number of files'))
      await hand.click(dialog.getByRole('button', { name: 'Create link' }))
      await hand.click(dialog.getByRole('button', { name: 'Copy link' }))
      await hand.see(dialog.getByRole('button', { name: 'Link copied' }))
    },
  },
  {
    number: 19,
    name: 'A stranger on a phone sends 3 files, of which one is of a type that is not accepted',
    prepare: (world) => handAt(world, `/s/${world.demo.links.inbox}`, { phone: true }),
    async run(hand, world) {
      const { page } = hand
      const files = ['beach.jpg', 'pier.png', 'offer.pdf'].map((name) => fileOf(world, name, `of ${name}`))
      await hand.see(page.getByText('Only pictures'))
      await choose(hand, page.getByRole('button', { name: 'Choose files' }), files)
      await hand.see(page.getByText('2 files sent, 1 not sent.'))
    },
  },
  {
    number: 20,
    name: 'See who has opened a link',
    async prepare(world) {
      const { token } = await linkTo(world, { ...fog, key: '2026/lisbon/market.jpg' })
      const visitor = await handAt(world, `/s/${token}`, { phone: true })
      await download(visitor, () => visitor.click(visitor.page.getByRole('link', { name: 'Download' })))
      await world.server.running.tick()
      return handAt(world, '/shares', { who: ADMIN })
    },
    async run(hand) {
      const { page } = hand
      await hand.click(page.getByRole('button', { name: 'Actions for the link to 2026/lisbon/market.jpg' }))
      await hand.click(page.getByRole('menuitem', { name: 'Activity' }))
      await hand.see(page.getByRole('dialog').getByText('Downloaded', { exact: true }))
      await hand.see(page.getByRole('dialog').getByText('Opened', { exact: true }))
    },
  },
]
