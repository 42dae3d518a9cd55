import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import http from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import sharp from 'sharp'
import { type Client, createClient } from '../client/derived.ts'
import { photo } from '../tests/support/pictures.ts'
import { type ServerProcess, spawnServer } from '../tests/support/process.ts'
import { cpuSeconds, median } from './load.ts'
import { ALLOCATOR, buildService, COMPILED, serviceEnv, WHO } from './service.ts'

/**
 * Measures the image proxy beside raw sharp (the same pipeline on the same bytes, one render for each core, in a
 * process of its own), beside ipx where IPX_PATH names a folder it is installed in, and cached hits beside a download
 * of 4 KiB. `npm run bench` runs it last; alone: `node bench/images.ts [--only text] [--seconds N] [--rounds N]`.
 */
const CONNECTIONS = 16
const CORES = os.availableParallelism()
/** Copies of each source, and a cache too small for their derivatives: every request in turn finds its own gone. */
const COPIES = 240
const SMALL_CACHE = 1024 * 1024
const FLOOD_CACHE = 1024 * 1024
const bucket = 'bench'
const NAMES = ['to w=400 webp', 'to w=800 avif', 'ipx', 'memory', 'flood', 'cached hit', '304', 'storm']

interface Load {
  /** `#` becomes the number of a copy. */
  url: string
  headers: Record<string, string>
  seconds: number
}
interface Raw {
  file: string
  width: number
  format: 'webp' | 'avif'
  seconds: number
}
interface Outcome {
  perSecond: number
  seconds: number
  /** Processor time of this process for each. */
  cpuMs: number
  p99Ms: number
}

function measured(times: number[], began: number): Outcome {
  const seconds = (performance.now() - began) / 1000
  times.sort((a, b) => a - b)
  const { user, system } = process.cpuUsage()
  const cpuMs = (user + system) / 1000 / times.length
  return { perSecond: times.length / seconds, seconds, cpuMs, p99Ms: times[Math.floor(times.length * 0.99)] ?? 0 }
}

async function repeat(inFlight: number, seconds: number, one: () => Promise<void>): Promise<Outcome> {
  const times: number[] = []
  const began = performance.now()
  const worker = async () => {
    while (performance.now() < began + seconds * 1000) {
      const start = performance.now()
      await one()
      times.push(performance.now() - start)
    }
  }
  await Promise.all(Array.from({ length: inFlight }, worker))
  return measured(times, began)
}

const mb = (bytes: number): number => Math.round(bytes / 1e6)

let turn = 0
function load({ url, headers, seconds }: Load): Promise<Outcome> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  const one = () =>
    new Promise<void>((resolve, reject) => {
      const at = url.replaceAll('#', String(turn++ % COPIES))
      http
        .get(at, { headers, agent }, (response) => {
          const { statusCode = 500 } = response
          response.resume().on('end', () => (statusCode < 400 ? resolve() : reject(new Error(`${at} ${statusCode}`))))
        })
        .on('error', reject)
    })
  return repeat(CONNECTIONS, seconds, one).finally(() => agent.destroy())
}

function raw({ file, width, format, seconds }: Raw): Promise<Outcome> {
  sharp.concurrency(1)
  sharp.cache(false)
  const bytes = fs.readFileSync(file)
  const one = async () => {
    const image = sharp(bytes, { failOn: 'error' }).autoOrient().resize(width)
    await (format === 'webp' ? image.webp({ effort: 2 }) : image.avif({ effort: 2 })).toBuffer()
  }
  return repeat(CORES, seconds, one)
}

/**
 * Asks for ever new derivatives, as a person and through a link, until so many seconds have passed; refusals are part
 * of it.
 */
async function flood({ url, headers, seconds }: Load): Promise<Outcome> {
  const [person = '', link = ''] = url.split(' ')
  let n = 0
  const one = async () => {
    const i = n++
    const query = `w=${100 + (i % 1500)}&h=${100 + (i % 977)}&fit=cover&q=${1 + (i % 99)}&format=${i % 10 ? 'webp' : 'avif'}`
    const at = i % 2 ? `${link}?${query}` : `${person.replace('#', String(i % COPIES))}?${query}`
    const response = await fetch(at, i % 2 ? {} : { headers })
    await response.arrayBuffer()
    if (response.status !== 200 && response.status !== 503) throw new Error(`flood: ${response.status}`)
  }
  return repeat(64, seconds, one)
}

/** Runs ipx over a folder until the process ends. */
async function serveIpx(folder: string): Promise<void> {
  const { createIPX, createIPXNodeServer, ipxFSStorage } = await import(
    pathToFileURL(path.join(process.env.IPX_PATH ?? '', 'node_modules/ipx/dist/index.mjs')).href
  )
  const server = http.createServer(createIPXNodeServer(createIPX({ storage: ipxFSStorage({ dir: folder }) })))
  server.listen(0, '127.0.0.1', () => process.stdout.write(`${JSON.stringify(server.address())}\n`))
}

/** Runs one of the above in a process of its own. */
async function apart(what: 'load' | 'raw' | 'flood', job: Load | Raw): Promise<Outcome> {
  const child = spawn(process.execPath, [import.meta.filename, what, JSON.stringify(job)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, UV_THREADPOOL_SIZE: '16', ...ALLOCATOR },
  })
  let text = ''
  child.stdout.on('data', (chunk) => {
    text += chunk
  })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`${what} failed`)
  return JSON.parse(text) as Outcome
}

const [what, job] = process.argv.slice(2)
if (what === 'load') process.stdout.write(JSON.stringify(await load(JSON.parse(job ?? ''))))
else if (what === 'raw') process.stdout.write(JSON.stringify(await raw(JSON.parse(job ?? ''))))
else if (what === 'flood') process.stdout.write(JSON.stringify(await flood(JSON.parse(job ?? ''))))
else if (what === 'ipx') await serveIpx(job ?? '')
else await bench()

async function bench(): Promise<void> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', default: '' },
      seconds: { type: 'string', default: '4' },
      rounds: { type: 'string', default: '3' },
    },
  })
  const seconds = Number(values.seconds)
  const wanted = (name: string) => name.includes(values.only)
  if (!NAMES.some((name) => wanted(name) || values.only.includes(name))) return
  buildService()
  const folder = fs.mkdtempSync(path.join(process.cwd(), 'bench-data-'))
  let service: ServerProcess | undefined
  const begin = async (cache: number) => {
    await service?.kill('SIGTERM')
    const env = {
      ...serviceEnv(folder),
      UV_THREADPOOL_SIZE: '16',
      ...ALLOCATOR,
      IMAGE_CACHE_BYTES: String(cache),
    }
    service = await spawnServer(env, ['serve'], COMPILED)
    const { url } = service
    const { access_token } = await createClient({ baseUrl: url }).login({ body: WHO })
    const headers = { authorization: `Bearer ${access_token}` }
    return { url, headers, client: createClient({ baseUrl: url, token: access_token }) }
  }
  try {
    const files = await makeSources(folder)
    const { url, headers, client } = await begin(SMALL_CACHE)
    await upload(client, files)
    const image = (key: string, query: string) => `${url}/api/v1/images/${bucket}/${key}?${query}`
    const rows: [name: string, file: string, width: number, format: 'webp' | 'avif', target: string][] = [
      ['2 MP JPEG to w=400 webp', '2mp.jpg', 400, 'webp', '≥ 0.9'],
      ['12 MP JPEG to w=400 webp', '12mp.jpg', 400, 'webp', ''],
      ['2 MP PNG to w=400 webp', '2mp.png', 400, 'webp', ''],
      ['2 MP JPEG to w=800 avif', '2mp.jpg', 800, 'avif', ''],
    ]
    for (const [name, file, width, format, target] of rows) {
      if (!wanted(name)) continue
      const ours = () => apart('load', { url: image(`${file}/#`, `w=${width}&format=${format}`), headers, seconds })
      const theirs = () => apart('raw', { file: path.join(folder, file), width, format, seconds })
      await compare(name, Number(values.rounds), ours, theirs, `raw sharp ${target}`)
      await compareCpu(service as never, ours, theirs)
    }
    if (wanted('ipx'))
      await besideIpx(folder, image('2mp.jpg/#', 'w=400&format=webp'), headers, Number(values.rounds), seconds)
    if (wanted('flood')) {
      const fresh = await begin(FLOOD_CACHE)
      await flooded(service as never, folder, fresh, seconds)
    }
    if (wanted('memory')) {
      const fresh = await begin(SMALL_CACHE)
      await memory(service as never, fresh.url, fresh.headers, seconds)
    }
    await cached(begin, wanted, Number(values.rounds), seconds)
  } finally {
    await service?.kill('SIGTERM')
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

async function makeSources(folder: string): Promise<string[]> {
  const two = await sharp(await photo(1632, 1224).png({ compressionLevel: 1 }).toBuffer())
    .blur(0.7)
    .toBuffer()
  const twelve = await sharp(two).resize(4000, 3000).png({ compressionLevel: 1 }).toBuffer()
  const made = {
    '2mp.jpg': await sharp(two).jpeg({ quality: 85 }).toBuffer(),
    '2mp.png': await sharp(two).png().toBuffer(),
    '12mp.jpg': await sharp(twelve).jpeg({ quality: 85 }).toBuffer(),
    '12mp-progressive.jpg': await sharp(twelve).jpeg({ quality: 85, progressive: true }).toBuffer(),
    '12mp.png': twelve,
    '2mp.avif': await sharp(two).avif({ effort: 0 }).toBuffer(),
  }
  for (const [name, bytes] of Object.entries(made)) fs.writeFileSync(path.join(folder, name), bytes)
  return Object.keys(made).map((name) => path.join(folder, name))
}

async function upload(client: Client, files: readonly string[]): Promise<void> {
  await client.createBucket({ body: { name: bucket, trash_days: 0 } })
  await client.putObject({ params: { bucket, key: 'small' }, body: Buffer.alloc(4096, 'strongroom ') })
  for (const file of files) {
    const bytes = fs.readFileSync(file)
    // Of the large ones a few copies do: what is kept of them is little, but they are only asked for in the mix.
    const copies = bytes.length > 12e6 ? 16 : COPIES
    for (let i = 0; i < COPIES; i++) {
      const key = `${path.basename(file)}/${i}`
      const params = { bucket }
      if (i < copies) await client.putObject({ params: { ...params, key }, body: bytes })
      else
        await client.copyObject({
          params,
          body: { source_bucket: bucket, source_key: `${path.basename(file)}/${i % copies}`, dest_key: key },
        })
    }
  }
}

async function compare(
  name: string,
  rounds: number,
  ours: () => Promise<Outcome>,
  theirs: () => Promise<Outcome>,
  beside: string,
): Promise<void> {
  await ours()
  const pairs: [Outcome, Outcome][] = []
  for (let i = 0; i < rounds; i++) pairs.push([await theirs(), await ours()])
  const ratio = median(pairs.map(([their, our]) => our.perSecond / their.perSecond))
  const rate = (side: 0 | 1) => median(pairs.map((pair) => pair[side].perSecond)).toFixed(1)
  const p99 = median(pairs.map(([, our]) => our.p99Ms)).toFixed(1)
  console.log(`${name}: ${rate(1)}/s, p99 ${p99} ms | ${beside}: ${rate(0)}/s | ratio ${ratio.toFixed(2)}`)
}

/** Processor time for each image, which neighbours on the machine and the load generator disturb less than a rate. */
async function compareCpu(service: ServerProcess, ours: () => Promise<Outcome>, theirs: () => Promise<Outcome>) {
  const before = cpuSeconds(service.child.pid)
  const { perSecond, seconds } = await ours()
  const each = ((cpuSeconds(service.child.pid) - before) * 1000) / (perSecond * seconds)
  const { cpuMs } = await theirs()
  console.log(
    `  CPU: ${each.toFixed(1)} ms an image | raw sharp ${cpuMs.toFixed(1)} ms | ratio ${(cpuMs / each).toFixed(2)}`,
  )
}

/** Peak of the resident memory under a mix of heavy sources, 16 in flight. */
async function memory(service: ServerProcess, url: string, headers: Record<string, string>, seconds: number) {
  const before = service.memory().rss
  fs.writeFileSync(`/proc/${service.child.pid}/clear_refs`, '5')
  const mix = ['12mp.jpg', '12mp-progressive.jpg', '12mp.png', '2mp.avif']
  const until = performance.now() + seconds * 4000
  let n = 0
  const one = async () => {
    while (performance.now() < until) {
      const i = n++
      const query = `w=${300 + (i % 200)}&q=${1 + (i % 99)}&format=${i % 8 === 7 ? 'avif' : 'webp'}`
      const response = await fetch(`${url}/api/v1/images/${bucket}/${mix[i % 4]}/${i % COPIES}?${query}`, { headers })
      if (response.status !== 200) throw new Error(`memory: ${response.status} ${await response.text()}`)
      await response.arrayBuffer()
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, one))
  const { peak } = service.memory()
  await new Promise((resolve) => setTimeout(resolve, 3000))
  const { rss } = service.memory()
  console.log(
    `memory: ${n} images of the mix at 16 in flight, RSS before ${mb(before)}, peak ${mb(peak)} (≤ 300), after ${mb(rss)} (≤ 220) MB`,
  )
}

/** A download of 4 KiB alone and while two attackers ask for ever new sizes; what that takes of memory and disk. */
async function flooded(
  service: ServerProcess,
  folder: string,
  { url, headers, client }: { url: string; headers: Record<string, string>; client: Client },
  seconds: number,
): Promise<void> {
  const { token } = await client.shareObjectByQuery({
    params: { bucket },
    query: { key: '12mp-progressive.jpg/0' },
    body: {},
  })
  const small = () => apart('load', { url: `${url}/api/v1/buckets/${bucket}/objects/small`, headers, seconds })
  const alone = await small()
  const before = service.memory().rss
  fs.writeFileSync(`/proc/${service.child.pid}/clear_refs`, '5')
  const attack = `${url}/api/v1/images/${bucket}/2mp.jpg/# ${url}/public/s/${token}`
  const flooding = apart('flood', { url: attack, headers, seconds: seconds + 1 })
  const during = await small()
  const { perSecond } = await flooding
  const disk = fs
    .readdirSync(path.join(folder, 'image-cache'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + fs.statSync(path.join(entry.parentPath, entry.name)).size, 0)
  const rate = ({ perSecond, p99Ms }: Outcome) => `${perSecond.toFixed(0)}/s, p99 ${p99Ms.toFixed(1)} ms`
  console.log(
    `flood of sizes (${perSecond.toFixed(0)}/s answered): 4 KiB download ${rate(during)}, alone ${rate(alone)}`,
  )
  console.log(
    `  RSS before ${mb(before)}, peak ${mb(service.memory().peak)} MB; cache ${Math.round(disk / 1024)} of ${FLOOD_CACHE / 1024} KiB`,
  )
}

async function besideIpx(
  folder: string,
  url: string,
  headers: Record<string, string>,
  rounds: number,
  seconds: number,
): Promise<void> {
  if (!process.env.IPX_PATH) return console.log('ipx: IPX_PATH names no folder it is installed in, so not measured')
  const child = spawn(process.execPath, [import.meta.filename, 'ipx', folder], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, UV_THREADPOOL_SIZE: '16', ...ALLOCATOR },
  })
  try {
    const [line] = (await once(child.stdout, 'data')) as [Buffer]
    const { port } = JSON.parse(line.toString()) as { port: number }
    const theirs = () => apart('load', { url: `http://127.0.0.1:${port}/f_webp,w_400/2mp.jpg`, headers: {}, seconds })
    await compare('2 MP JPEG to w=400 webp', rounds, () => apart('load', { url, headers, seconds }), theirs, 'ipx ≥ 1')
  } finally {
    child.kill('SIGTERM')
  }
}

async function cached(
  begin: (cache: number) => Promise<{ url: string; headers: Record<string, string> }>,
  wanted: (name: string) => boolean,
  rounds: number,
  seconds: number,
): Promise<void> {
  if (!['cached hit', '304', 'storm'].some(wanted)) return
  const { url, headers } = await begin(1024 ** 3)
  const hit = `${url}/api/v1/images/${bucket}/2mp.jpg/#?w=400&format=webp`
  const one = hit.replace('#', '0')
  // Fills the cache.
  for (let i = 0; i < COPIES; i++) await (await fetch(hit.replace('#', String(i)), { headers })).arrayBuffer()
  const small = () => apart('load', { url: `${url}/api/v1/buckets/${bucket}/objects/small`, headers, seconds })
  if (wanted('cached hit')) {
    const size = (await (await fetch(one, { headers })).arrayBuffer()).byteLength
    const ours = () => apart('load', { url: hit, headers, seconds })
    await compare(`cached hit of ${(size / 1024).toFixed(1)} KiB`, rounds, ours, small, '4 KiB download ≥ 0.5')
  }
  if (wanted('304')) {
    const etag = (await fetch(one, { headers })).headers.get('etag') ?? ''
    const ours = () => apart('load', { url: one, headers: { ...headers, 'if-none-match': etag }, seconds })
    await compare('304', rounds, ours, small, '4 KiB download')
  }
  if (wanted('storm')) {
    let storming = true
    let n = 0
    const stormer = async () => {
      while (storming)
        await fetch(`${url}/api/v1/images/${bucket}/2mp.jpg/${n++ % COPIES}?w=${700 + (n % 300)}&format=avif`, {
          headers,
        })
    }
    const alone = await apart('load', { url: hit, headers, seconds })
    const storm = Array.from({ length: CONNECTIONS }, stormer)
    const { perSecond, p99Ms } = await apart('load', { url: hit, headers, seconds })
    storming = false
    await Promise.all(storm)
    console.log(
      `cached hits in a storm of AVIF: ${perSecond.toFixed(0)}/s, p99 ${p99Ms.toFixed(1)} ms (< 25), alone ${alone.p99Ms.toFixed(1)}`,
    )
  }
}
