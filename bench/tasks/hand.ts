import type { Browser as Chromium, Locator, Page } from 'playwright-core'
import type { Demo } from '../../tests/support/demo.ts'
import { newProfile, pathOf, signInto } from '../../tests/support/launch.ts'
import type { TestServer } from '../../tests/support/server.ts'

/** What a task finds: a service with the contents of the demo, and a browser. */
export interface World {
  server: TestServer
  demo: Demo
  chromium: Chromium
  /** What the task has opened; it is closed after it. */
  opened: { close(): Promise<unknown> }[]
  /** A folder for the files of a task. */
  folder: string
}

export interface Task {
  /** Its number in docs/tasks.md. */
  number: number
  name: string
  /** Does what is not part of the task: signs in, opens the page where it begins, and makes what it needs. */
  prepare: (world: World) => Promise<Hand>
  /** Does the task by hand, up to where its outcome is seen. */
  run: (hand: Hand, world: World) => Promise<void>
}

/** A person's hand at a page: what it does is counted, what it waits for is not. */
export class Hand {
  steps = 0
  readonly page: Page
  constructor(page: Page) {
    this.page = page
  }
  /** Opens an address: one step, as following a link in a mail is. */
  async open(url: string): Promise<void> {
    this.steps++
    await this.page.goto(url)
  }
  async click(target: Locator, options: Parameters<Locator['click']>[0] = {}): Promise<void> {
    this.steps++
    await target.click(options)
  }
  /** Types into a field: one step. */
  async fill(target: Locator, text: string): Promise<void> {
    this.steps++
    await target.fill(text)
  }
  /** Types where the focus is: one step. */
  async type(text: string): Promise<void> {
    this.steps++
    await this.page.keyboard.type(text)
  }
  /** A key, or several at a time: one step. */
  async press(keys: string): Promise<void> {
    this.steps++
    await this.page.keyboard.press(keys)
  }
  /** Chooses files, or drops them: one step. */
  async files(target: Locator, paths: string | readonly string[]): Promise<void> {
    this.steps++
    await target.setInputFiles(paths as string | string[])
  }
  async drag(from: Locator, to: Locator): Promise<void> {
    this.steps++
    await from.dragTo(to)
  }
  /** Waits until something is seen. */
  async see(target: Locator): Promise<void> {
    await target.first().waitFor()
  }
}

interface Opened {
  who?: { email: string; password: string }
  phone?: boolean
}
/** A page at a view of the console or of a link, in a profile of its own, as `who`; nobody where that is left out. */
export async function handAt(world: World, at: string, { who, phone = false }: Opened = {}): Promise<Hand> {
  const size = phone ? { width: 390, height: 844 } : { width: 1440, height: 900 }
  const profile = await newProfile(world.chromium, {
    viewport: size,
    hasTouch: phone,
    isMobile: phone,
    reducedMotion: 'reduce',
  })
  world.opened.push(profile)
  await profile.clock.install({ time: world.server.clock.now() })
  if (who) await signInto(profile, world.server, who)
  const page = await profile.newPage()
  await page.goto(world.server.url + pathOf(at))
  return new Hand(page)
}
