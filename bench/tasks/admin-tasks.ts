import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort, IDP_CLIENT, type Idp, startIdp } from '../../tests/support/idp.ts'
import { answer, type Receiver, startReceiver } from '../../tests/support/receiver.ts'
import { ADMIN, startServer, type TestServer } from '../../tests/support/server.ts'
import { type Hand, handAt, type Task, type World } from './hand.ts'

/** Ends what a task has started once its page is closed. */
const endsWith = ({ page }: Hand, stop: () => Promise<unknown>): void =>
  void page.context().once('close', () => void stop())

let receiver: Receiver
/** Sends what webhooks have queued, until the work is done: the service of the tests has no timers. */
async function whileDelivering(server: TestServer, work: () => Promise<void>): Promise<void> {
  let isDone = false
  const deliver = async () => {
    while (!isDone) {
      await server.running.tick()
      await pause(100)
    }
  }
  const delivering = deliver()
  await work().finally(() => {
    isDone = true
  })
  await delivering
}

async function webhook(hand: Hand, { server }: World): Promise<void> {
  const { page } = hand
  const dialog = page.getByRole('dialog')
  await hand.click(page.getByRole('link', { name: 'New webhook' }))
  await hand.fill(page.getByLabel('Name', { exact: true }), 'Mirror')
  await hand.fill(page.getByLabel('URL', { exact: true }), receiver.url)
  await hand.click(page.getByRole('button', { name: 'Create webhook' }))
  await hand.click(dialog.getByRole('button', { name: 'I’ve saved it' }))
  await hand.click(page.getByRole('button', { name: 'Send test ping' }))
  await hand.see(page.getByText(/Ping succeeded: 204/))
  receiver.reply = answer(503)
  await hand.click(page.getByRole('button', { name: 'Send test ping' }))
  await hand.see(page.getByText(/Ping failed: 503/))
  await server.admin.putObjectByQuery({ params: { bucket: 'photos' }, query: { key: '2026/oslo/map.txt' }, body: 'x' })
  await hand.click(page.getByRole('tab', { name: 'Deliveries' }))
  const upload = page.getByRole('row').filter({ hasText: 'map.txt' })
  await hand.see(upload.getByText('Retrying'))
  receiver.reply = answer(204)
  await hand.click(upload)
  await hand.click(dialog.getByRole('button', { name: 'Send now' }))
  await hand.see(dialog.getByText('Delivered', { exact: true }))
}

interface Company {
  server: TestServer
  idp: Idp
}
let company: Company
/** A service and an identity provider that do not know each other yet. */
async function newCompany(): Promise<Company> {
  const port = String(await freePort())
  const base = `http://127.0.0.1:${port}`
  const idp = await startIdp([`${base}/api/v1/auth/callback`])
  const server = await startServer('sqlite', { PORT: port, HOST: '127.0.0.1', PUBLIC_BASE_URL: base })
  server.clock.advance(Date.now() - server.clock.now().getTime())
  await server.later(0)
  await server.admin.createBucket({ body: { name: 'photos' } })
  const grants = [{ bucket_pattern: 'photos', preset: 'editor' as const }]
  await server.admin.createGroup({ body: { name: 'Photo editors', grants } })
  idp.accounts.set('noor', { sub: 'noor', email: 'noor@example.com', name: 'Noor', groups: ['staff-photo'] })
  return { server, idp }
}

async function singleSignOn(hand: Hand, world: World): Promise<void> {
  const { page } = hand
  const { server, idp } = company
  const next = () => hand.click(page.getByRole('button', { name: 'Next' }))
  await hand.click(page.getByRole('link', { name: 'Set up step by step' }))
  await hand.click(page.getByRole('radio', { name: 'Another OpenID Connect provider' }))
  await next()
  await hand.click(page.getByRole('button', { name: 'Copy' }).first())
  await next()
  await hand.fill(page.getByLabel('Issuer URL'), idp.issuer)
  await hand.fill(page.getByLabel('Client ID'), IDP_CLIENT.id)
  await hand.click(page.getByRole('group', { name: 'Client secret' }).getByRole('button', { name: 'Set' }))
  await hand.fill(page.getByLabel('New client secret'), IDP_CLIENT.secret)
  await hand.fill(page.getByLabel('Name', { exact: true }), 'Acme')
  await hand.click(page.getByRole('button', { name: 'Save and connect' }))
  await hand.click(page.getByRole('switch', { name: 'Create accounts on first SSO sign-in' }))
  await next()
  await hand.see(page.getByText('Waiting for a sign-in'))
  await hand.click(page.getByRole('button', { name: 'Done' }))
  await hand.fill(page.getByLabel('Groups claim'), 'groups')
  await hand.click(page.getByRole('button', { name: 'Add group' }))
  await hand.fill(page.getByLabel('Provider group 1'), 'staff-photo')
  await hand.click(page.getByRole('combobox', { name: 'Group 1' }))
  await hand.click(page.getByRole('option', { name: 'Photo editors' }))
  await hand.click(page.getByRole('button', { name: 'Save' }))
  await hand.see(page.getByText('Identity provider settings saved'))

  server.clock.advance(Date.now() - server.clock.now().getTime())
  const elsewhere = await handAt({ ...world, server }, '/login')
  await elsewhere.page
    .context()
    .route(`${idp.issuer}/**`, (route) =>
      route.continue({ headers: { ...route.request().headers(), 'x-account': 'noor' } }),
    )
  await elsewhere.click(elsewhere.page.getByRole('button', { name: 'Continue with Acme' }))
  await elsewhere.see(elsewhere.page.getByRole('link', { name: 'photos' }))
  hand.steps += elsewhere.steps + 1
}

export const tasks: Task[] = [
  {
    number: 27,
    name: 'Webhook: create, ping a receiver that answers, and one that fails, send again',
    async prepare(world) {
      receiver = await startReceiver()
      const hand = await handAt(world, '/admin/webhooks', { who: ADMIN })
      endsWith(hand, receiver.stop)
      return hand
    },
    run: (hand, world) => whileDelivering(world.server, () => webhook(hand, world)),
  },
  {
    number: 28,
    name: 'Cleanup policy: preview, save, run now',
    prepare: (world) => handAt(world, '/policies', { who: ADMIN }),
    async run(hand) {
      const { page } = hand
      await hand.click(page.getByRole('link', { name: 'New policy' }))
      await hand.fill(page.getByLabel('Name', { exact: true }), 'Old access logs')
      await hand.fill(page.locator('input.mantine-TagsInput-inputField'), 'logs')
      await hand.press('Enter')
      await hand.fill(page.getByLabel('Older than (days)'), '7')
      await hand.see(page.getByRole('region', { name: 'Would be deleted now' }).getByText('8 objects', { exact: true }))
      await hand.click(page.getByRole('button', { name: 'Save' }))
      await hand.click(page.getByRole('button', { name: 'Run now…' }))
      await hand.click(page.getByRole('dialog').getByRole('button', { name: 'Delete 8 objects' }))
      await hand.see(page.getByRole('table', { name: 'Runs' }).getByText('Succeeded').nth(1))
    },
  },
  {
    number: 29,
    name: 'Audit log: filter, open a record, verify, export',
    async prepare(world) {
      const hand = await handAt(world, '/404', { who: ADMIN })
      // As in a browser that does not ask where a file is to be saved: nobody could choose one.
      await hand.page.addInitScript(() => void Object.assign(window, { showSaveFilePicker: undefined }))
      await hand.page.goto(`${world.server.url}/console/admin/audit`)
      return hand
    },
    async run(hand) {
      const { page } = hand
      await hand.click(page.getByRole('combobox', { name: 'Action' }).or(page.getByRole('textbox', { name: 'Action' })))
      await hand.click(page.getByRole('option', { name: 'delete', exact: true }))
      await hand.press('Escape')
      await hand.click(page.getByRole('button', { name: 'Record: delete' }).first())
      await hand.see(page.getByRole('region', { name: 'Record: delete' }))
      await hand.click(page.getByRole('button', { name: 'Verify', exact: true }))
      await hand.see(page.getByRole('dialog').getByText('Log is intact'))
      await hand.press('Escape')
      const saved = page.waitForEvent('download')
      await hand.click(page.getByRole('button', { name: 'Export', exact: true }))
      await hand.click(page.getByRole('menuitem', { name: 'CSV' }))
      await saved
    },
  },
  {
    number: 30,
    name: 'Single sign-on from the provider to a user’s first sign-in, with a mapped group',
    async prepare(world) {
      company = await newCompany()
      const { server, idp } = company
      const hand = await handAt({ ...world, server }, '/admin/settings?tab=idp', { who: ADMIN })
      endsWith(hand, async () => {
        await server.stop()
        await idp.stop()
      })
      return hand
    },
    run: singleSignOn,
  },
  {
    number: 31,
    name: 'Usage: what is stored, and where',
    prepare: (world) => handAt(world, '/', { who: ADMIN }),
    async run(hand) {
      const { page } = hand
      await hand.click(page.getByRole('navigation').getByRole('link', { name: 'Usage' }))
      await hand.see(page.getByRole('region', { name: 'Stored over time, by bucket' }).getByText('Total'))
    },
  },
  {
    number: 32,
    name: 'Upload into a bucket that gets full',
    async prepare(world) {
      await world.server.admin.createBucket({ body: { name: 'tight', quota_gb: 1 / 1024 } })
      for (let i = 0; i < 12; i++) fs.writeFileSync(path.join(world.folder, `page-${i}.pdf`), Buffer.alloc(150_000, i))
      return handAt(world, '/b/tight', { who: ADMIN })
    },
    async run(hand, { folder }) {
      const { page } = hand
      const files = Array.from({ length: 12 }, (_, i) => path.join(folder, `page-${i}.pdf`))
      await hand.click(page.getByRole('button', { name: 'Upload' }).first())
      await hand.files(page.locator('input[type=file]').first(), files)
      await hand.see(page.getByText('Files that don’t fit won’t be uploaded'))
      await hand.click(page.getByRole('button', { name: 'Upload 12 files' }))
      await hand.see(page.getByText('“tight” is full: 6 files not uploaded, 734 KB missing.'))
    },
  },
]
