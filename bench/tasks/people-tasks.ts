import { ADMIN } from '../../tests/support/server.ts'
import { type Hand, handAt, type Task, type World } from './hand.ts'

const PASSWORD = 'a password of the tasks'

/** A user in a new group that may edit one folder of the bucket of pictures. */
async function lisbonEditor({ server }: World, name: string) {
  const grants = [{ bucket_pattern: 'photos', prefix: '2026/lisbon/', preset: 'editor' as const }]
  const group = await server.admin.createGroup({ body: { name: `${name}’s group`, grants } })
  const who = { email: `${name.toLowerCase()}@example.com`, password: PASSWORD }
  await server.admin.createUser({ body: { ...who, display_name: name, group_ids: [group.id] } })
  return who
}

async function pickAccess(hand: Hand, who: string, permission: RegExp, key: string): Promise<void> {
  const { page } = hand
  await hand.fill(page.getByRole('combobox', { name: 'User' }), who)
  await hand.click(page.getByRole('option', { name: who }))
  await hand.click(page.getByRole('combobox', { name: 'Permission' }))
  await hand.click(page.getByRole('option', { name: permission }))
  await hand.fill(page.getByRole('combobox', { name: 'Bucket', exact: true }), 'photos')
  await hand.fill(page.getByLabel('Key (optional)'), key)
}

export const tasks: Task[] = [
  {
    number: 21,
    name: 'Trash: restore a deleted file, and a replaced one',
    prepare: (world) => handAt(world, '/b/photos/trash', { who: ADMIN }),
    async run(hand) {
      const { page } = hand
      await hand.click(page.getByRole('button', { name: 'Restore 2026/oslo/fjord-4.jpg' }))
      await hand.see(page.getByText('fjord-4.jpg restored'))
      await hand.click(page.getByRole('button', { name: 'Restore 2026/lisbon/notes.txt' }))
      await hand.click(page.getByRole('dialog').getByRole('button', { name: 'Replace' }))
      await page.getByRole('button', { name: 'Restore 2026/oslo/fjord-4.jpg' }).waitFor({ state: 'detached' })
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await hand.see(page.getByText('notes.txt restored'))
    },
  },
  {
    number: 22,
    name: 'New user, invited by a link',
    prepare: (world) => handAt(world, '/admin/users', { who: ADMIN }),
    async run(hand) {
      const { page } = hand
      await hand.click(page.getByRole('button', { name: 'New user' }))
      const dialog = page.getByRole('dialog')
      await hand.fill(dialog.getByLabel('Email'), 'kim.lee@example.com')
      await hand.fill(dialog.getByLabel('Name'), 'Kim Lee')
      await hand.click(dialog.getByRole('button', { name: 'Create' }))
      await hand.click(dialog.getByRole('button', { name: 'Copy' }))
      await hand.see(dialog.getByText('Copied'))
    },
  },
  {
    number: 23,
    name: 'New group that may edit one folder, with a member',
    async prepare(world) {
      await world.server.admin.createUser({ body: { email: 'lena.vogt@example.com', display_name: 'Lena Vogt' } })
      return handAt(world, '/admin/groups', { who: ADMIN })
    },
    async run(hand) {
      const { page } = hand
      await hand.click(page.getByRole('button', { name: 'New group' }))
      await hand.fill(page.getByRole('dialog').getByLabel('Name', { exact: true }), 'Lisbon')
      await hand.press('Enter')
      await hand.click(page.getByRole('button', { name: 'Add permission' }))
      await hand.fill(page.getByRole('combobox', { name: 'Bucket, Row 1' }), 'photos')
      await hand.fill(page.getByLabel('Prefix, Row 1'), '2026/lisbon/')
      await hand.click(page.getByRole('combobox', { name: 'Preset, Row 1' }))
      await hand.click(page.getByRole('option', { name: 'editor' }))
      await hand.click(page.getByRole('button', { name: 'Save' }))
      await hand.see(page.getByText('Permissions saved'))
      await hand.click(page.getByRole('tab', { name: /Members/ }))
      await hand.click(page.getByRole('button', { name: 'Add members' }))
      await hand.fill(page.getByLabel('Find users by email or name'), 'Lena')
      await hand.click(page.getByRole('checkbox', { name: 'lena.vogt@example.com' }))
      await hand.click(page.getByRole('button', { name: 'Add 1 user' }))
      await hand.see(page.getByRole('link', { name: 'Lena Vogt' }))
    },
  },
  {
    number: 24,
    name: 'Check whether a user may replace a file, and why',
    prepare: (world) => handAt(world, '/admin/groups?tab=explain', { who: ADMIN }),
    async run(hand) {
      const { page } = hand
      await pickAccess(hand, 'ben.okafor@example.com', /^write/, '2026/lisbon/harbour.jpg')
      await hand.see(page.getByText('Allowed', { exact: true }))
      await hand.see(page.getByRole('list', { name: 'Allowed by' }).getByRole('link', { name: 'Photo editors' }))
    },
  },
  {
    number: 25,
    name: 'Sign in as a user of one folder, and find it',
    async prepare(world) {
      await lisbonEditor(world, 'Mara')
      return handAt(world, '/login')
    },
    async run(hand) {
      const { page } = hand
      await hand.fill(page.getByLabel('Email'), 'mara@example.com')
      await hand.fill(page.getByLabel('Password', { exact: true }), PASSWORD)
      await hand.press('Enter')
      await hand.click(page.getByRole('link', { name: /2026\/lisbon\/$/ }).first())
      await hand.see(page.getByRole('link', { name: 'harbour.jpg' }))
    },
  },
  {
    number: 26,
    name: 'New access token',
    prepare: (world) => handAt(world, '/tokens', { who: ADMIN }),
    async run(hand) {
      const { page } = hand
      await hand.click(page.getByRole('button', { name: 'New token' }))
      const dialog = page.getByRole('dialog')
      await hand.fill(dialog.getByLabel('Name'), 'Backup on NAS')
      await hand.click(dialog.getByRole('button', { name: 'Create token' }))
      await hand.see(dialog.getByLabel('Token', { exact: true }))
    },
  },
]
