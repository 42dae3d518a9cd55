import path from 'node:path'
import { readConfig } from '../../server/config/config.ts'
import { type Running, start } from '../../server/process/start.ts'
import { newProfile } from '../../tests/support/launch.ts'
import { ADMIN, serverEnv } from '../../tests/support/server.ts'
import { Hand, handAt, type Task, type World } from './hand.ts'

let started: Running

/** A hand at an empty page, beside a service of its own that has never been started. */
async function atFirstStart(world: World, name: string, env: Record<string, string> = {}): Promise<Hand> {
  const {
    BOOTSTRAP_ADMIN_EMAIL: _email,
    BOOTSTRAP_ADMIN_PASSWORD: _password,
    ...rest
  } = serverEnv(path.join(world.folder, name))
  const running = await start(readConfig({ ...rest, ...env, LOG_LEVEL: 'silent' }), { timers: false })
  started = running
  const profile = await newProfile(world.chromium, { reducedMotion: 'reduce' })
  world.opened.push(profile, { close: () => running.stop() })
  return new Hand(await profile.newPage())
}

export const tasks: Task[] = [
  {
    number: 1,
    name: 'First start with a generated password: sign in, and see what to do next',
    prepare: (world) => atFirstStart(world, 'generated', { SETUP_LINK: 'false' }),
    async run(hand) {
      const { email = '', password } = started.first.admin ?? {}
      await hand.open(`${started.url}/console/`)
      await hand.fill(hand.page.getByLabel('Email'), email)
      await hand.fill(hand.page.getByLabel('Password', { exact: true }), password ?? '')
      await hand.click(hand.page.getByRole('button', { name: 'Sign in' }))
      await hand.see(hand.page.getByText('Finish setting up'))
    },
  },
  {
    number: 2,
    name: 'First start with a setup link: create the administrator',
    prepare: (world) => atFirstStart(world, 'link'),
    async run(hand) {
      await hand.open(started.first.setupLink ?? '')
      await hand.see(hand.page.getByText('Connected'))
      await hand.fill(hand.page.getByLabel('Administrator email'), 'alice@example.com')
      await hand.fill(hand.page.getByLabel('Password', { exact: true }), 'wonderland in spring')
      await hand.press('Enter')
      await hand.see(hand.page.getByText('Finish setting up'))
    },
  },
  {
    number: 3,
    name: 'Create a bucket with a quota',
    prepare: (world) => handAt(world, '/buckets', { who: ADMIN }),
    async run(hand) {
      const dialog = hand.page.getByRole('dialog', { name: 'New bucket' })
      await hand.click(hand.page.getByRole('button', { name: 'New bucket' }))
      await hand.fill(dialog.getByLabel('Name'), 'my-bucket')
      await hand.fill(dialog.getByLabel('Quota'), '10')
      await hand.click(dialog.getByRole('button', { name: 'Create' }))
      await hand.see(hand.page.getByRole('link', { name: 'my-bucket' }))
    },
  },
]
