// npm run screenshots [names]: pictures of every screen over a demo, light and dark, wide and narrow.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { readConfig } from '../server/config/config.ts'
import { start } from '../server/process/start.ts'
import { seedDemo } from '../tests/support/demo.ts'
import { launchChromium, newProfile, signInto } from '../tests/support/launch.ts'
import { startReceiver } from '../tests/support/receiver.ts'
import { addressOf, type Screen, screens } from '../tests/support/screens.ts'
import { ADMIN, serverEnv, startServer } from '../tests/support/server.ts'

const FOLDER = path.join(import.meta.dirname, '../docs/screenshots')
const SIZES = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
]
const setup: Screen = { name: 'setup', is: 'The first run', at: '/setup', shows: 'Password' }
const SCHEMES = ['light', 'dark'] as const

const wanted = process.argv.slice(2)
const server = await startServer('sqlite', { WEBHOOK_ALLOWED_CIDRS: '127.0.0.1/32' })
const receiver = await startReceiver()
const chromium = await launchChromium()
try {
  const demo = await seedDemo(server, receiver)
  const people = { reader: demo.reader, stranger: demo.stranger, nobody: null }
  fs.mkdirSync(FOLDER, { recursive: true })
  for (const viewport of SIZES) {
    for (const as of [undefined, 'reader', 'stranger', 'nobody'] as const) {
      const context = await newProfile(chromium, { viewport, reducedMotion: 'reduce' })
      await context.clock.install({ time: server.clock.now() })
      const who = as === undefined ? ADMIN : people[as]
      if (who) await signInto(context, server, who)
      for (const screen of screens.filter((one) => one.as === as)) {
        if (wanted.length > 0 && !wanted.includes(screen.name)) continue
        const page = await context.newPage()
        await page.goto(`${server.url}/console${addressOf(screen, demo)}`)
        await take(page, screen, viewport.width)
        await page.close()
      }
      await context.close()
    }
  }
  if (wanted.length === 0 || wanted.includes(setup.name)) await takeSetup()
  writeIndex()
} finally {
  await chromium.close()
  await server.stop()
  await receiver.stop()
}

/** The first run, on a service without anyone. */
async function takeSetup(): Promise<void> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-setup-'))
  const { BOOTSTRAP_ADMIN_EMAIL: _email, BOOTSTRAP_ADMIN_PASSWORD: _password, ...env } = serverEnv(folder)
  const running = await start(readConfig({ ...env, LOG_LEVEL: 'silent' }), { timers: false })
  try {
    for (const viewport of SIZES) {
      const context = await newProfile(chromium, { viewport, reducedMotion: 'reduce' })
      const page = await context.newPage()
      await page.goto(running.first.setupLink as string)
      await take(page, setup, viewport.width)
      await context.close()
    }
  } finally {
    await running.stop()
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

/** A screen as it is, in the light and in the dark. */
async function take(page: Page, screen: Screen, width: number): Promise<void> {
  await settle(page, screen)
  for (const scheme of SCHEMES) {
    await page.emulateMedia({ colorScheme: scheme })
    await page.waitForFunction((one) => document.documentElement.dataset.mantineColorScheme === one, scheme)
    await save(await page.screenshot(), `${screen.name}-${scheme}-${width}`)
  }
}

async function settle(page: Page, { shows, does, name }: Screen): Promise<void> {
  const words = page.getByText(shows).or(page.getByRole('button', { name: shows }))
  await words
    .filter({ visible: true })
    .first()
    .waitFor()
    .catch((error) => {
      throw new Error(`${name} does not show ${shows}: ${error}`)
    })
  await does?.(page)
  await page.waitForLoadState('networkidle')
  await page.evaluate(() => document.fonts.ready.then(() => undefined))
}

/** Few colours are enough for a screen, and a quarter of the bytes. */
async function save(picture: Buffer, name: string): Promise<void> {
  const file = path.join(FOLDER, `${name}.png`)
  await sharp(picture).png({ palette: true, colours: 64, quality: 80, effort: 10, compressionLevel: 9 }).toFile(file)
}

function writeIndex(): void {
  const link = (name: string, file: string) => (fs.existsSync(path.join(FOLDER, file)) ? `[${name}](${file})` : '')
  const rows = [setup, ...screens].map(({ name, is }) => {
    const pictures = SIZES.flatMap(({ width }) =>
      SCHEMES.map((scheme) => link(`${scheme} ${width}`, `${name}-${scheme}-${width}.png`)),
    )
    return `| ${is} | ${pictures.join(' · ')} |`
  })
  const head = ['# Screens of the console', '', 'Made by `npm run screenshots` over a demo.', '']
  fs.writeFileSync(
    path.join(FOLDER, 'README.md'),
    [...head, '| Screen | Pictures |', '|---|---|', ...rows, ''].join('\n'),
  )
}
