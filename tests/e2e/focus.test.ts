// Where the focus is: when a dialog opens, and after the button that had it has gone or is disabled.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { describeConsole, inBrowserOf, openConsole } from '../support/browser.ts'
import { DIALOG, hasUsefulFocus } from '../support/focus.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { row } from './listing.ts'

describeConsole('focus', (engine) => {
  const bucket = 'focused'
  let server: TestServer
  before(async () => {
    server = await startServer(engine)
    await server.admin.createBucket({ body: { name: bucket } })
    await server.admin.putObject({ params: { bucket, key: 'a.txt' }, body: 'a' })
  })
  after(() => server.stop())
  const inBrowser = inBrowserOf(() => server)

  it('uploads a dropped file by Enter, and starts no dialog on ×', () =>
    inBrowser(async (browser) => {
      const { page, faults } = await openConsole(browser, server, `/b/${bucket}`)
      const dialog = page.locator(DIALOG)
      await row(page, 'a.txt').waitFor()
      await page.evaluate(() => {
        const dataTransfer = new DataTransfer()
        dataTransfer.items.add(new File(['dropped'], 'dropped.txt'))
        const place = document.querySelector('[role=grid]') as Element
        for (const type of ['dragenter', 'dragover', 'drop'])
          place.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }))
      })
      await dialog.getByRole('button', { name: 'Upload 1 file' }).and(page.locator(':focus')).waitFor()
      await page.keyboard.press('Enter')
      await row(page, 'dropped.txt').waitFor()

      await page.getByRole('grid').focus()
      await page.keyboard.press('u')
      await dialog.getByRole('button', { name: 'Choose files' }).and(page.locator(':focus')).waitFor()
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
      for (const key of ['s', 'n', 'F2', 'm', '?']) {
        await row(page, 'a.txt').locator('.cell-type').click()
        await page.keyboard.press(key)
        await dialog.waitFor()
        await hasUsefulFocus(page)
        await page.keyboard.press('Escape')
        await dialog.waitFor({ state: 'detached' })
      }
      assert.deepEqual(faults, [])
    }))

  it('has the focus on what is next after a link is created and after settings are saved', () =>
    inBrowser(async (browser) => {
      const { page, faults } = await openConsole(browser, server, `/b/${bucket}`)
      const dialog = page.locator(DIALOG)
      await row(page, 'a.txt').locator('.cell-type').click()
      await page.keyboard.press('s')
      await dialog.getByRole('button', { name: 'Create link' }).focus()
      await page.keyboard.press('Enter')
      await dialog.getByRole('button', { name: 'Copy link' }).and(page.locator(':focus')).waitFor()

      const save = page.getByRole('button', { name: 'Save', exact: true })
      const isInForm = async () => {
        await page.locator('form:focus, form :focus:not(:disabled)').waitFor({ timeout: 5000 })
        await page.keyboard.press('Tab')
        await page.locator('form :focus').waitFor({ timeout: 5000 })
      }
      await page.goto(`${server.url}/console/b/${bucket}/settings`)
      await page.getByLabel('Trash retention (days)').fill('12')
      await save.first().focus()
      await page.keyboard.press('Enter')
      await page.getByText('Settings saved').first().waitFor()
      await save.first().and(page.locator(':disabled')).waitFor()
      await isInForm()

      const group = await server.admin.createGroup({ body: { name: 'Readers' } })
      await page.goto(`${server.url}/console/admin/groups/${group.id}?tab=permissions`)
      await page.getByLabel('User manager').check()
      await save.focus()
      await page.keyboard.press('Enter')
      await page.getByText('Permissions saved').waitFor()
      await save.and(page.locator(':disabled')).waitFor()
      await isInForm()
      assert.deepEqual(faults, [])
    }))

  it('selects a name without its ending to rename it, and no more than once', () =>
    inBrowser(async (browser) => {
      await server.admin.putObject({ params: { bucket, key: 'archive.tar.gz' }, body: 'a' })
      const { page, faults } = await openConsole(browser, server, `/b/${bucket}`)
      await row(page, 'archive.tar.gz').locator('.cell-type').click()
      await page.keyboard.press('F2')
      const name = page.locator(DIALOG).getByLabel('New name').and(page.locator(':focus'))
      await name.waitFor()
      await page.keyboard.type('b')
      assert.equal(await name.inputValue(), 'b.gz')
      await page.keyboard.press('Enter')
      await row(page, 'b.gz').waitFor()
      await page.getByRole('button', { name: 'New folder' }).click()
      await page.locator(DIALOG).getByRole('button', { name: 'Create' }).click()
      await page.locator(DIALOG).getByText('Required.').waitFor()
      assert.deepEqual(faults, [])
    }))

  it('says at the fields what is missing, and asks before what was typed is lost', () =>
    inBrowser(async (browser) => {
      const { page, check, faults } = await openConsole(browser, server, '/admin/users')
      const dialogs = page.locator(DIALOG)
      const dialog = page.getByRole('dialog', { name: 'New user' })
      await page.getByRole('button', { name: 'New user' }).click()
      const create = dialog.getByRole('button', { name: 'Create', exact: true })
      await create.click()
      assert.equal(await dialog.getByText('Required.').count(), 2)
      await dialog.getByLabel('Email').and(page.locator(':focus')).waitFor()
      await dialog.getByLabel('Email').fill('not an email')
      await dialog.getByLabel('Name').fill('Ada')
      await create.click()
      await dialog.getByText('Enter an email address, such as ada@example.com.').waitFor()
      await check('user-missing', { within: '[role=dialog]' })

      // Escape asks; Escape in the question stays.
      await page.keyboard.press('Escape')
      await page.getByRole('dialog', { name: 'Leave without saving?' }).waitFor()
      await hasUsefulFocus(page)
      await page.keyboard.press('Escape')
      await page.getByRole('dialog', { name: 'Leave without saving?' }).waitFor({ state: 'detached' })
      assert.equal(await dialog.getByLabel('Name').inputValue(), 'Ada')
      await dialog.getByLabel('Name').focus()
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'Leave', exact: true }).click()
      await dialogs.first().waitFor({ state: 'detached' })
      // Without anything typed, it closes.
      await page.getByRole('button', { name: 'New user' }).click()
      await create.waitFor()
      await page.keyboard.press('Escape')
      await dialogs.first().waitFor({ state: 'detached' })

      await page.goto(`${server.url}/console/b/${bucket}/settings`)
      await page.getByLabel('Trash retention (days)').fill('')
      await page.getByRole('button', { name: 'Save', exact: true }).first().click()
      await page.getByText('Required.').waitFor()
      assert.deepEqual(faults, [])
    }))
})
