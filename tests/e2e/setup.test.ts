// The first run in a real browser, on a server without users: setup, sign-out, sign-in.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { Writable } from 'node:stream'
import { after, before, describe, it } from 'node:test'
import { readConfig } from '../../server/config/config.ts'
import { type Running, start } from '../../server/process/start.ts'
import { type Browser, openConsole, startBrowser } from '../support/browser.ts'
import { noBrowser } from '../support/launch.ts'
import { serverEnv } from '../support/server.ts'

const ALICE = { email: 'alice@example.com', password: 'wonderland in spring' }

describe('console: the first run', { skip: noBrowser }, () => {
  let folder: string
  let server: Running
  const browsers: Browser[] = []
  const browser = async (size: { width?: number; height?: number } = {}) => {
    const one = await startBrowser(size)
    browsers.push(one)
    return one
  }
  const link = () => server.first.setupLink?.replace(`${server.url}/console`, '') ?? assert.fail('no link')
  before(async () => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-setup-'))
    const { BOOTSTRAP_ADMIN_EMAIL: _email, BOOTSTRAP_ADMIN_PASSWORD: _password, ...env } = serverEnv(folder)
    const logTo = new Writable({ write: (_chunk, _encoding, done) => done() })
    server = await start(readConfig(env), { timers: false, logTo })
  })
  after(async () => {
    for (const one of browsers) await one.close()
    await server.stop()
    fs.rmSync(folder, { recursive: true, force: true })
  })

  it('sign-in and the setup page without a link say where to find it', async () => {
    const { page, check } = await openConsole(await browser(), server, '/', { expect: [401] })
    await page.getByText('No administrator yet').waitFor()
    await page.getByText('/console/setup#…').waitFor()
    await check('setup-login')
    await page.goto(`${server.url}/console/setup`)
    await page.getByText('No administrator yet').waitFor()
    await check('setup-without-link')
  })

  it('an older setup link says that it has been replaced', async () => {
    const small = await browser({ width: 390, height: 844 })
    const { page, check } = await openConsole(small, server, '/setup#not-the-one', { expect: [410, 401] })
    await page.getByLabel('Administrator email').fill(ALICE.email)
    await page.getByLabel('Password', { exact: true }).fill('short')
    await page.getByText('Too short. Use at least 8 characters.').waitFor()
    const make = page.getByRole('button', { name: 'Create account and sign in' })
    assert.equal(await make.isDisabled(), true)
    await page.getByLabel('Password', { exact: true }).fill(ALICE.password)
    await make.click()
    await page.getByRole('alert').getByText('has been replaced').waitFor()
    await check('setup-wrong-390')
  })

  it('sets up, signs out and in, and the link no longer works', async () => {
    const { page, check, faults } = await openConsole(await browser(), server, link(), { expect: [401] })
    const answers = page.getByText('Connected')
    await answers.nth(1).waitFor()
    assert.equal(await answers.count(), 2)
    await check('setup')
    await page.getByLabel('Administrator email').fill(ALICE.email)
    await page.getByLabel('Name (optional)').fill('Alice')
    await page.getByLabel('Password', { exact: true }).fill(ALICE.password)
    await page.keyboard.press('Enter')
    await page.getByText('Finish setting up').waitFor()
    await page.getByRole('link', { name: 'Audit log' }).waitFor()
    await page.getByRole('button', { name: 'Account' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByLabel('Email').fill(ALICE.email)
    assert.equal(await page.getByText('No administrator yet').count(), 0)
    await page.getByLabel('Password', { exact: true }).fill(ALICE.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Finish setting up').waitFor()
    await page.goto(`${server.url}/console${link()}`)
    await page.getByRole('heading', { name: 'Setup is already complete' }).waitFor()
    await check('setup-over')
    assert.deepEqual(faults, [])
  })

  it('the first steps name a generated password until it is replaced', async () => {
    const {
      BOOTSTRAP_ADMIN_EMAIL: _email,
      BOOTSTRAP_ADMIN_PASSWORD: _password,
      ...env
    } = serverEnv(fs.mkdtempSync(path.join(folder, 'generated-')))
    const logTo = new Writable({ write: (_chunk, _encoding, done) => done() })
    const generated = await start(readConfig({ ...env, SETUP_LINK: 'false' }), { timers: false, logTo })
    try {
      const { email, password } = generated.first.admin ?? assert.fail('no administrator')
      const { page, check, faults } = await openConsole(await browser(), generated, '/', { expect: [401] })
      await page.getByLabel('Email').fill(email)
      await page.getByLabel('Password', { exact: true }).fill(password ?? '')
      await page.keyboard.press('Enter')
      const steps = page.getByRole('region', { name: 'Finish setting up' })
      await steps.getByText('0 of 5 done').waitFor()
      await check('generated-password')
      await steps.getByRole('link', { name: 'Replace the generated password' }).click()
      const current = page.getByLabel('Current password')
      await current.waitFor()
      assert.ok(await current.evaluate((field) => field === document.activeElement))
      await page.keyboard.type(password ?? '')
      await page.getByLabel('New password', { exact: true }).fill(ALICE.password)
      await page.getByLabel('Confirm new password').fill(ALICE.password)
      await page.getByRole('button', { name: 'Change password' }).click()
      await page.getByText('Password changed').waitFor()
      await page.getByRole('link', { name: 'Home' }).click()
      await steps.getByText('1 of 5 done').waitFor()
      assert.equal(await steps.getByRole('link', { name: 'Replace the generated password' }).count(), 0)
      await check('generated-password-replaced')
      assert.deepEqual(faults, [])
    } finally {
      await generated.stop()
    }
  })
})
