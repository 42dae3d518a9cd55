import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import type { BrowserContext, Page } from 'playwright-core'
import { request } from 'undici'
import { type Client, createClient } from '../client/derived.ts'
import { weigh, weighLink } from '../scripts/console-budget.ts'
import { dropFile, launchChromium, newProfile, noBrowser, signInto } from '../tests/support/launch.ts'
import { type ServerProcess, spawnServer } from '../tests/support/process.ts'
import { flat, seedObjects } from './seed.ts'
import { serviceEnv, WHO } from './service.ts'

/**
 * Measures the console in a real browser against a real service, each figure beside its budget (docs/console.md). Bounded:
 * what is not measured after four minutes is left out. `npm run bench` runs it last; alone: `node
 * bench/console.ts [--step cold|slow|home|link|list|large|drop]`.
 */
const { values: options } = parseArgs({ options: { step: { type: 'string', default: '' } } })
const MANY = 100_000
const FOLDERS = 24
const FILES = 10_000
const MIB = 1024 ** 2
const PART = 8 * MIB
const PARTS = 24
const LIMIT_MS = 230_000
const COLD_ROUNDS = 3
const LINK_ROUNDS = 5

interface Row {
  seen: string
  budget: string
  kept: string
}
const rows: Record<string, Row> = {}
/** Notes a figure; `kept` is whether all of it is within the budget, nothing where there is none. */
function report(name: string, seen: string, budget: string, kept?: boolean): void {
  rows[name] = { seen, budget, kept: kept === undefined ? '' : kept ? 'yes' : 'NO' }
  console.log(`${name}: ${seen} (${budget}) ${rows[name].kept}`)
}
const sorted = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b)
const at = (numbers: readonly number[], share: number): number =>
  sorted(numbers)[Math.min(numbers.length - 1, Math.floor(numbers.length * share))] ?? 0
const ms = (time: number) => `${Math.round(time)} ms`
const load = () => os.loadavg()[0]?.toFixed(1) ?? '?'

/** What is noted in every page from its first moment on. */
interface Notes {
  firstRows: number
  longTasks: { start: number; duration: number }[]
}
type Noting = typeof globalThis & { notes: Notes }
const noteAll = () => {
  const notes: Notes = { firstRows: 0, longTasks: [] }
  Object.assign(globalThis, { notes })
  performance.setResourceTimingBufferSize(20_000)
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) notes.longTasks.push({ start: startTime, duration })
  }).observe({ type: 'longtask', buffered: true })
  const look = () => {
    if (!document.querySelector('.vgrid-body .vgrid-row:not(.waits)')) return requestAnimationFrame(look)
    notes.firstRows = performance.now()
  }
  requestAnimationFrame(look)
  try {
    if (location.protocol.startsWith('http')) localStorage.setItem('strongroom-signed-in', '1')
  } catch {
    // A sandboxed frame has no storage.
  }
}

/** Gathers the times of frames, and of what else a page does meanwhile, until `stopFrames`. */
const startFrames = (page: Page) =>
  page.evaluate(() => {
    const watch = { frames: [] as number[], heap: 0, dock: 0, from: performance.now(), on: true }
    Object.assign(globalThis, { watch })
    let last = performance.now()
    const step = (now: number) => {
      watch.frames.push(now - last)
      last = now
      if (watch.frames.length % 20 === 0)
        watch.dock = Math.max(watch.dock, document.querySelectorAll('.uploads-row').length)
      if (watch.on) requestAnimationFrame(step)
    }
    requestAnimationFrame(step)
  })
const stopFrames = (page: Page) =>
  page.evaluate(() => {
    const { watch, notes } = globalThis as Noting & {
      watch: { frames: number[]; dock: number; from: number; on: boolean }
    }
    watch.on = false
    const long = notes.longTasks.filter(({ start }) => start >= watch.from).length
    return { frames: watch.frames.slice(1), dock: watch.dock, long }
  })

async function open(context: BrowserContext, url: string, place: string, slower = 1): Promise<Page> {
  const page = await context.newPage()
  page.on('dialog', (dialog) => void dialog.accept().catch(() => undefined))
  await page.addInitScript(noteAll)
  if (slower > 1) {
    const session = await context.newCDPSession(page)
    await session.send('Emulation.setCPUThrottlingRate', { rate: slower })
  }
  await page.goto(`${url}/console${place}`, { waitUntil: 'commit' })
  return page
}
const firstRows = async (page: Page): Promise<number> => {
  await page.waitForFunction(() => (globalThis as Noting).notes.firstRows > 0, undefined, { timeout: 30_000 })
  return page.evaluate(() => (globalThis as Noting).notes.firstRows)
}

function measureBuild(): void {
  const { weights, font, mostFont } = weigh()
  for (const { route, js, css, mostJs, mostCss } of weights) {
    report(`${route}: JS, gzip`, `${js.toFixed(1)} kB`, `≤ ${mostJs} kB`, js <= mostJs)
    report(`${route}: CSS, gzip`, `${css.toFixed(1)} kB`, `≤ ${mostCss} kB`, css <= mostCss)
  }
  report('font before the first text', `${font.toFixed(1)} kB`, `≤ ${mostFont} kB`, font <= mostFont)
  const link = weighLink()
  report('page of a share link, gzip', `${link.all.toFixed(1)} kB`, `≤ ${link.most} kB`, link.all <= link.most)
}

const inBrowser = async <T>(url: string, work: (context: BrowserContext) => Promise<T>): Promise<T> => {
  const browser = await launchChromium(['--enable-precise-memory-info'])
  try {
    const context = await newProfile(browser, { viewport: { width: 1280, height: 800 } })
    await signInto(context, { url }, { email: WHO.username, password: WHO.password })
    return await work(context)
  } finally {
    await browser.close()
  }
}

/** With an empty cache each time: what is fetched until there are rows, how long it takes, what holds the page up. */
async function measureCold(url: string): Promise<void> {
  const seen: { rows: number; tbt: number; requests: number; depth: number }[] = []
  const slowed: number[] = []
  for (let i = 0; i < COLD_ROUNDS; i++) {
    await inBrowser(url, async (context) => {
      const page = await open(context, url, '/b/many?prefix=flat%2F')
      const shown = await firstRows(page)
      await page.waitForTimeout(1500)
      seen.push({ rows: shown, ...(await page.evaluate(coldFigures, shown)) })
    })
    await inBrowser(url, async (context) =>
      slowed.push(await firstRows(await open(context, url, '/b/many?prefix=flat%2F', 4))),
    )
  }
  const middle = (of: keyof (typeof seen)[number]) =>
    at(
      seen.map((one) => one[of]),
      0.5,
    )
  report('requests to the first rows', `${middle('requests')}`, '≤ 12', middle('requests') <= 12)
  report('API calls in a row after /me', `${middle('depth')}`, '1', middle('depth') <= 1)
  report(
    'rows visible, cold',
    `${ms(middle('rows'))} (best ${ms(
      at(
        seen.map((one) => one.rows),
        0,
      ),
    )})`,
    '≤ 1,000 ms',
    middle('rows') <= 1000,
  )
  report(
    'rows visible, cold, CPU × 4',
    `${ms(at(slowed, 0.5))} (best ${ms(at(slowed, 0))})`,
    '≤ 2,500 ms',
    at(slowed, 0.5) <= 2500,
  )
  report('total blocking time', ms(middle('tbt')), '≤ 250 ms', middle('tbt') <= 250)
}
/** Of a page whose first rows were there at this time. */
function coldFigures(shown: number) {
  const { longTasks } = (globalThis as Noting).notes
  const entries = performance.getEntriesByType('resource') as PerformanceResourceTiming[]
  const until = entries.filter(({ startTime }) => startTime <= shown)
  const calls = until.filter(({ name }) => name.includes('/api/v1/'))
  const me = calls.find(({ name }) => name.endsWith('/me'))
  const after = calls.filter(({ startTime }) => startTime >= (me?.responseEnd ?? 0))
  const depthOf = (one: PerformanceResourceTiming): number =>
    1 + Math.max(0, ...after.filter(({ responseEnd }) => responseEnd <= one.startTime).map(depthOf))
  return {
    tbt: longTasks.reduce((sum, { duration }) => sum + Math.max(0, duration - 50), 0),
    requests: until.length + 1,
    // The sizes of folders follow the rows, and may be there when these are painted.
    depth: Math.max(0, ...after.filter(({ name }) => !name.endsWith('/folder-sizes')).map(depthOf)),
  }
}

/** A network in Mbit/s and ms, as Chromium is told of it. */
const network = (latency: number, down: number, up = down) => {
  const bytes = (mbits: number) => Math.round((mbits * 1_000_000) / 8)
  return { offline: false, latency, downloadThroughput: bytes(down), uploadThroughput: bytes(up) }
}
const FAST_3G = network(150, 1.6, 0.75)
const SLOW_3G = network(400, 0.4)

interface FirstVisit {
  viewport: { width: number; height: number }
  network: ReturnType<typeof network>
  /** How much slower the processor is. */
  slower: number
  /** What is waited for. */
  selector: string
}
/** Gives a page a network, if there is one to give, and counts what comes over it. */
async function watchNetwork(page: Page, slow?: ReturnType<typeof network>) {
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  if (slow) await session.send('Network.emulateNetworkConditions', slow)
  const loaded = { requests: 0, bytes: 0 }
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    loaded.requests++
    loaded.bytes += encodedDataLength
  })
  return { session, loaded }
}
/** Opens an address in a browser that has nothing of it: ms until an element is there, and kB that came. */
async function firstVisit(address: string, { viewport, slower, selector, ...how }: FirstVisit) {
  const browser = await launchChromium()
  try {
    const page = await (await newProfile(browser, { viewport })).newPage()
    const { session, loaded } = await watchNetwork(page, how.network)
    await session.send('Emulation.setCPUThrottlingRate', { rate: slower })
    await page.addInitScript((wanted) => {
      const look = () => {
        if (!document.querySelector(wanted)) return requestAnimationFrame(look)
        Object.assign(globalThis, { shown: performance.now() })
      }
      requestAnimationFrame(look)
    }, selector)
    await page.goto(address, { waitUntil: 'commit' })
    await page.waitForFunction(() => 'shown' in globalThis, undefined, { timeout: 30_000 })
    const shown = await page.evaluate(() => (globalThis as unknown as { shown: number }).shown)
    return { shown, sent: loaded.bytes / 1000 }
  } finally {
    await browser.close()
  }
}
/** The same several times: what to report, and whether it took at most `most` ms. */
async function reportVisits(name: string, address: string, how: FirstVisit, most: number): Promise<void> {
  const seen: number[] = []
  const sent: number[] = []
  for (let i = 0; i < LINK_ROUNDS; i++) {
    const one = await firstVisit(address, how)
    seen.push(one.shown)
    sent.push(one.sent)
  }
  const times = `${ms(at(seen, 0.5))} (best ${ms(at(seen, 0))})`
  report(name, `${times}, ${at(sent, 0.5).toFixed(0)} kB`, `≤ ${most.toLocaleString('en')} ms`, at(seen, 0.5) <= most)
}

/** The page of a shared folder as a phone has it: a slow network, a slow processor, an empty cache. */
async function measureLink(url: string, client: Client): Promise<void> {
  const { page_url } = await client.createShare({ body: { kind: 'folder', bucket: 'many', prefix: 'flat/' } })
  await reportVisits(
    'page of a share link usable, 1.6 Mbit/s, 150 ms, CPU × 4',
    url + new URL(page_url).pathname,
    { viewport: { width: 390, height: 844 }, network: FAST_3G, slower: 4, selector: '.entry, .tile-open' },
    1500,
  )
}

/** The first visit of all, over a slow network: until somebody can sign in. */
const measureSlow = (url: string): Promise<void> =>
  reportVisits(
    'sign-in usable, 400 kbit/s, 400 ms',
    `${url}/console/login`,
    { viewport: { width: 1280, height: 800 }, network: SLOW_3G, slower: 1, selector: 'input[type=password]' },
    5000,
  )

/** The start page of an administrator, with an empty cache: what comes until all of it is there, and over a slow network how soon. */
async function measureHome(url: string): Promise<void> {
  const visit = (slow?: typeof SLOW_3G) =>
    inBrowser(url, async (context) => {
      const page = await context.newPage()
      const { loaded } = await watchNetwork(page, slow)
      await page.addInitScript(noteAll)
      await page.goto(`${url}/console/`, { waitUntil: 'commit' })
      await page.locator('#largest').waitFor({ timeout: 30_000 })
      const time = await page.evaluate(() => performance.now())
      // What is loaded once the first view is there belongs to it.
      if (!slow) await page.waitForTimeout(3000)
      return { time, ...loaded }
    })
  const { requests, bytes } = await visit()
  const kib = bytes / 1024
  report(
    'start page, cold: requests, over the network',
    `${requests}, ${kib.toFixed(0)} KiB`,
    '≤ 15, 200 KiB',
    requests <= 15 && kib <= 200,
  )
  const times: number[] = []
  for (let i = 0; i < COLD_ROUNDS; i++) times.push((await visit(SLOW_3G)).time)
  report('start page, cold, 400 kbit/s, 400 ms', `${ms(at(times, 0.5))} (best ${ms(at(times, 0))})`, '')
}

/** A folder of a hundred thousand: scrolling, jumping, choosing all, sorting. */
async function measureList(url: string): Promise<void> {
  await inBrowser(url, async (context) => {
    const page = await open(context, url, '/b/many?prefix=flat%2F')
    await firstRows(page)
    await page.waitForTimeout(1000)
    await measureScroll(page, 'list', '.vgrid', '.vgrid-body .vgrid-row', 60)
    const jumps: { took: number; server: number }[] = []
    for (const share of [0.9, 0.2, 0.55, 0.05, 0.75]) {
      jumps.push(await page.evaluate(jump, share))
      await page.waitForTimeout(150)
    }
    const beyond = jumps.map(({ took, server }) => took - server)
    const each = jumps.map(({ took, server }) => `${Math.round(took)} (server ${Math.round(server)})`).join(', ')
    report('jump: real rows, without the server', `${ms(at(beyond, 0.5))}: ${each}`, '≤ 250 ms', at(beyond, 0.5) <= 250)
    for (const [name, selector] of [
      ['select all', '.vgrid-head input'],
      ['sort', '.vgrid-head .cell-size button'],
    ] as const) {
      const times: number[] = []
      for (let i = 0; i < 5; i++) {
        times.push(await page.evaluate(paint, selector))
        await page.waitForTimeout(400)
      }
      report(
        `${name}: to paint`,
        `${ms(at(times, 0.5))} (worst ${ms(at(times, 1))})`,
        '≤ 100 ms',
        at(times, 0.5) <= 100,
      )
    }
  })
  await inBrowser(url, async (context) => {
    const page = await open(context, url, '/b/many?prefix=flat%2F&view=grid')
    await page.locator('.tile [data-name]').first().waitFor({ timeout: 20_000 })
    await page.waitForTimeout(1000)
    await measureScroll(page, 'grid', '.tiles', '.tile', 80)
  })
}
async function measureScroll(page: Page, view: string, scroller: string, row: string, most: number): Promise<void> {
  await startFrames(page)
  const { inPage, heap } = await page.evaluate(
    async ([scroller, row]) => {
      const element = document.querySelector(scroller) as HTMLElement
      let [inPage, heap] = [0, 0]
      for (let i = 0; i < 240; i++) {
        element.scrollTop += 400
        await new Promise(requestAnimationFrame)
        inPage = Math.max(inPage, element.querySelectorAll(row).length)
        const { memory } = performance as unknown as { memory: { usedJSHeapSize: number } }
        heap = Math.max(heap, memory.usedJSHeapSize)
      }
      return { inPage, heap: heap / 1e6 }
    },
    [scroller, row] as const,
  )
  const { frames, long } = await stopFrames(page)
  const p95 = at(frames, 0.95)
  report(`${view}, 240 × 400 px: frame p95`, `${ms(p95)}, median ${ms(at(frames, 0.5))}`, '≤ 45 ms', p95 <= 45)
  report(`${view}: long tasks`, `${long}`, '≤ 3', long <= 3)
  report(`${view}: rows or tiles in the page`, `${inPage}`, `≤ ${most}`, inPage <= most)
  report(`${view}: heap`, `${heap.toFixed(1)} MB`, '≤ 60 MB', heap <= 60)
}
async function jump(share: number) {
  const element = document.querySelector('.vgrid') as HTMLElement
  const from = performance.now()
  const top = Math.round((element.scrollHeight * share) / 36) * 36
  element.scrollTop = top
  const index = Math.round(top / 36) + 3
  const isThere = () => document.querySelector(`.vgrid-body .vgrid-row[data-index="${index}"]:not(.waits)`) !== null
  while (!isThere() && performance.now() - from < 10_000) await new Promise(requestAnimationFrame)
  const took = performance.now() - from
  const calls = performance
    .getEntriesByType('resource')
    .filter(({ name, startTime }) => startTime >= from && name.includes('/browse?')) as PerformanceResourceTiming[]
  return { took, server: Math.max(0, ...calls.map(({ responseEnd, requestStart }) => responseEnd - requestStart)) }
}
async function paint(selector: string): Promise<number> {
  const from = performance.now()
  ;(document.querySelector(selector) as HTMLElement).click()
  await new Promise(requestAnimationFrame)
  await new Promise((done) => setTimeout(done))
  return performance.now() - from
}

/** A dropped folder of ten thousand files; how fast they go, beside what else could send them. */
async function measureDrop(url: string, folder: string, client: Client, token: string): Promise<void> {
  const many = path.join(folder, 'dropped')
  for (let i = 0; i < FILES; i++) {
    if (i % 500 === 0) fs.mkdirSync(path.join(many, String(i / 500)), { recursive: true })
    fs.writeFileSync(path.join(many, String(Math.floor(i / 500)), `${i}.txt`), `file ${i} `.repeat(100))
  }
  await inBrowser(url, async (context) => {
    const page = await open(context, url, '/b/dropped')
    await page.locator('.browse').waitFor()
    await page.waitForTimeout(1000)
    const from = performance.now()
    await dropFile(page, { x: 640, y: 500 }, many)
    const button = page.getByRole('button', { name: 'Upload 10,000 files' })
    await button.waitFor({ timeout: 30_000 })
    const listed = performance.now() - from
    const clicked = performance.now()
    await button.click()
    const dock = page.getByRole('region', { name: 'Uploads' })
    await dock.getByRole('heading', { name: /of 10,000 files$/ }).waitFor({ timeout: 30_000 })
    const queued = performance.now() - clicked
    report(
      '10,000 files dropped: listed',
      `${ms(listed)}, in the queue ${ms(queued)} after the click`,
      '≤ 3,000 ms',
      listed + queued <= 3000,
    )
    await page.waitForTimeout(1500)
    await startFrames(page)
    const rate = await rateOf(client, 'dropped', 12)
    const { frames, dock: most, long } = await stopFrames(page)
    const p95 = at(frames, 0.95)
    report('uploading them: frame p95', `${ms(p95)}, ${long} long tasks in 12 s`, '≤ 50 ms', p95 <= 50)
    report('rows of the dock', `${most}`, '≤ 100', most <= 100)
    await page.getByRole('button', { name: 'Pause all' }).click()
    // The same number in flight: from this process, and by fetch in a page that does nothing else.
    await page.goto('about:blank')
    const body = Buffer.from('file 1234 '.repeat(100))
    const floor = await putMany(8, async (n) => {
      await client.putObjectByQuery({ params: { bucket: 'floor' }, query: { key: `node/${n}` }, body })
    })
    await page.goto(`${url}/console/login`)
    await page.evaluate(fetchMany, { token, seconds: 1 })
    const plain = await page.evaluate(fetchMany, { token, seconds: 8 })
    report(
      'small files',
      `${rate.toFixed(0)}/s; fetch in an idle page ${plain.toFixed(0)}/s, undici ${floor.toFixed(0)}/s`,
      '(of files on disk)',
    )
  })
}
async function rateOf(client: Client, name: string, seconds: number): Promise<number> {
  const count = async () => (await client.getBucket({ params: { bucket: name } })).object_count ?? 0
  const [from, before] = [performance.now(), await count()]
  await new Promise((done) => setTimeout(done, seconds * 1000))
  return ((await count()) - before) / ((performance.now() - from) / 1000)
}
async function putMany(seconds: number, put: (n: number) => Promise<void>): Promise<number> {
  const from = performance.now()
  let n = 0
  const work = async () => {
    while (performance.now() - from < seconds * 1000) await put(n++)
  }
  await Promise.all(Array.from({ length: 4 }, work))
  return n / ((performance.now() - from) / 1000)
}
async function fetchMany({ token, seconds }: { token: string; seconds: number }): Promise<number> {
  const from = performance.now()
  let n = 0
  const body = new Blob(['file 1234 '.repeat(100)])
  const work = async () => {
    while (performance.now() - from < seconds * 1000) {
      const answer = await fetch(`/api/v1/buckets/floor/object?key=page/${seconds}/${n++}`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${token}` },
        body,
      })
      if (!answer.ok) throw new Error(`The page's upload answered ${answer.status}`)
    }
  }
  await Promise.all(Array.from({ length: 4 }, work))
  return n / ((performance.now() - from) / 1000)
}

/** A large file in parts, three at a time: by the console, by undici from memory and by a page with no console, in turns. */
async function measureLarge(url: string, folder: string, client: Client): Promise<void> {
  const file = path.join(folder, 'large.bin')
  const bytes = Buffer.alloc(PARTS * PART, 'strongroom ')
  fs.writeFileSync(file, bytes)
  const rates: { console: number; undici: number; page: number }[] = []
  await inBrowser(url, async (context) => {
    for (let round = 0; round < 3; round++) {
      const undici = await inParts(client, `undici-${round}`, (paths) => sendParts(url, paths, bytes))
      rates.push({
        undici,
        console: await sendByConsole(context, url, file, path.join(folder, `large-${round}.bin`)),
        page: await inParts(client, `page-${round}`, (paths) => sendByPage(context, url, paths, file)),
      })
    }
  })
  const each = (by: 'console' | 'undici' | 'page') => rates.map((rate) => rate[by].toFixed(0)).join(', ')
  const middle = (of: 'undici' | 'page') =>
    at(
      rates.map((rate) => rate.console / rate[of]),
      0.5,
    )
  report(
    'a file in parts, 3 at a time',
    `${each('console')} MB/s; undici ${each('undici')} MB/s; ratio ${middle('undici').toFixed(2)}`,
    '≥ 0.80',
    middle('undici') >= 0.8,
  )
  report(
    'beside XHR in an idle page',
    `${each('page')} MB/s; ratio ${middle('page').toFixed(2)}`,
    'what the browser can do',
  )
}
/** Begins an upload, has its parts sent to these paths, and gives up on it. Gives what `send` does. */
async function inParts(client: Client, key: string, send: (paths: string[]) => Promise<number>): Promise<number> {
  const { upload_id, urls } = await client.initUpload({
    params: { bucket: 'floor' },
    body: { key, file_size: PARTS * PART, part_size: PART },
  })
  // The service names itself by an address that it is not at here.
  const rate = await send(urls.map((one) => new URL(one).pathname))
  await client.abortUpload({ params: { bucket: 'floor' }, body: { upload_id } })
  return rate
}
/** Megabytes a second of all parts of a file that is chosen in the upload dialog. */
async function sendByConsole(context: BrowserContext, url: string, file: string, as: string): Promise<number> {
  fs.renameSync(file, as)
  const page = await open(context, url, '/b/floor/uploads')
  await page.getByRole('button', { name: 'Upload', exact: true }).click()
  const pick = page.getByRole('button', { name: 'Choose files' })
  await pick.locator('xpath=following-sibling::input[1]').setInputFiles(as)
  await page.getByRole('button', { name: 'Upload 1 file' }).click()
  await page.getByRole('heading', { name: '1 file uploaded' }).waitFor({ timeout: 60_000 })
  const took = await page.evaluate(() => {
    const parts = performance
      .getEntriesByType('resource')
      .filter(({ name }) => name.includes('/api/v1/parts/')) as PerformanceResourceTiming[]
    return (
      Math.max(...parts.map(({ responseEnd }) => responseEnd)) - Math.min(...parts.map(({ startTime }) => startTime))
    )
  })
  await page.waitForTimeout(500)
  await page.close()
  fs.renameSync(as, file)
  return (PARTS * PART) / 1e3 / took
}
async function sendParts(base: string, paths: string[], bytes: Buffer): Promise<number> {
  const left = [...paths.entries()]
  const from = performance.now()
  const work = async () => {
    for (let next = left.shift(); next; next = left.shift()) {
      const [i, to] = next
      const { statusCode, body } = await request(new URL(to, base), {
        method: 'PUT',
        body: bytes.subarray(i * PART, (i + 1) * PART),
      })
      if (statusCode >= 300) throw new Error(`A part answered ${statusCode}`)
      await body.dump()
    }
  }
  await Promise.all(Array.from({ length: 3 }, work))
  return bytes.length / 1e3 / (performance.now() - from)
}
async function sendByPage(context: BrowserContext, url: string, paths: string[], file: string): Promise<number> {
  const page = await context.newPage()
  await page.goto(`${url}/console/login`)
  const input = await page.evaluateHandle(() => {
    const made = document.createElement('input')
    made.type = 'file'
    document.body.append(made)
    return made
  })
  await input.setInputFiles(file)
  const rate = await input.evaluate(
    async ({ files }, { paths, part }) => {
      const all = files?.[0] as File
      const left = [...paths.entries()]
      const from = performance.now()
      const work = async () => {
        for (let next = left.shift(); next; next = left.shift()) {
          const [i, to] = next
          const sending = new XMLHttpRequest()
          await new Promise((resolve, reject) => {
            sending.onload = resolve
            sending.onerror = reject
            sending.open('PUT', to)
            sending.send(all.slice(i * part, (i + 1) * part))
          })
          if (sending.status >= 300) throw new Error(`The page's part answered ${sending.status}`)
        }
      }
      await Promise.all(Array.from({ length: 3 }, work))
      return all.size / 1e3 / (performance.now() - from)
    },
    { paths, part: PART },
  )
  await page.close()
  return rate
}

async function measure(server: ServerProcess, folder: string, databaseUrl: string): Promise<void> {
  const { access_token: token } = await createClient({ baseUrl: server.url }).login({ body: WHO })
  const client = createClient({ baseUrl: server.url, token })
  for (const name of ['many', 'dropped', 'floor']) await client.createBucket({ body: { name, trash_days: 0 } })
  await seedObjects(databaseUrl, 'many', flat(MANY))
  await seedObjects(
    databaseUrl,
    'many',
    Array.from({ length: FOLDERS }, (_, i) => `flat/folder-${i}/x`),
  )
  const steps = {
    cold: () => measureCold(server.url),
    slow: () => measureSlow(server.url),
    home: () => measureHome(server.url),
    link: () => measureLink(server.url, client),
    list: () => measureList(server.url),
    large: () => measureLarge(server.url, folder, client),
    drop: () => measureDrop(server.url, folder, client, token),
  }
  for (const [name, step] of Object.entries(steps)) if (name.includes(options.step)) await step()
}

if (noBrowser) console.log(`console: not measured, ${noBrowser}`)
else {
  measureBuild()
  const folder = fs.mkdtempSync(path.join(process.cwd(), 'bench-data-'))
  const databaseUrl = `sqlite:${path.join(folder, 'strongroom.db')}`
  const before = load()
  let server: ServerProcess | undefined
  try {
    server = await spawnServer(serviceEnv(folder, databaseUrl))
    const late = new Promise<never>((_, reject) =>
      setTimeout(() => reject(new Error('Four minutes are over')), LIMIT_MS).unref(),
    )
    await Promise.race([measure(server, folder, databaseUrl), late])
  } finally {
    await server?.kill('SIGTERM')
    fs.rmSync(folder, { recursive: true, force: true })
    console.log(`\nConsole: ${os.cpus().length} cores, load ${before} before and ${load()} after, Chromium, 1280 × 800`)
    console.table(rows)
  }
}
