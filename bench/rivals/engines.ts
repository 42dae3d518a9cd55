import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { createClient } from '../../client/derived.ts'
import { createDatabase, type Postgres, startPostgres } from '../../tests/support/postgres.ts'
import { ALLOCATOR, buildService, COMPILED, serviceEnv, WHO } from '../service.ts'
import { eventually, freePorts, type Program, pin, start } from './programs.ts'
import { ask, bodyOf, type Target } from './requests.ts'
import { BUCKET, MANY } from './row.ts'

/** A server that is measured. */
export interface Engine {
  name: string
  /** Whether what it has acknowledged is on disk. */
  durable: string
  target: Target
  /** The processes that work for it, each with all that it starts. */
  roots: number[]
  stop(): Promise<void>
}
/** Where and with what a server is started. */
export interface Place {
  /** Its own, empty. */
  folder: string
  /** The CPUs of all servers, as `taskset -c` takes them; undefined for all. */
  cpus: string | undefined
}

const HOST = '127.0.0.1'
/** The file is synced, but not the folder that it is renamed into, nor one that it is deleted from. */
const BYTES_ONLY = 'bytes; not the name, nor a DELETE'
const newPair = () => ({
  access_key_id: randomBytes(10).toString('hex'),
  secret_access_key: randomBytes(20).toString('hex'),
})

/** A copy of Node.js, since of the pages that a server shares with the clients only a part would count as its own. */
function ownNode(folder: string): string {
  const file = path.join(folder, 'node')
  fs.copyFileSync(process.execPath, file)
  return file
}

/** A PostgreSQL that syncs, on the CPUs of the servers. */
async function durablePostgres(cpus: string | undefined): Promise<Postgres> {
  const postgres = await startPostgres({ durable: true })
  pin(postgres.pid, cpus)
  return postgres
}

/** Waits until a server takes objects: some answer before all of their parts are there. */
async function ready(program: Program, target: Target): Promise<void> {
  await eventually(program, () => ask(target, 'GET', ''))
  for (const bucket of [BUCKET, MANY])
    await eventually(program, async () => {
      await ask(target, 'PUT', bucket).catch((error: unknown) => {
        if (!/BucketAlready|ResourceAlready/.test(String(error))) throw error
      })
      await ask(target, 'PUT', `${bucket}/probe`, { body: bodyOf(Buffer.from('probe')) })
      await ask(target, 'DELETE', `${bucket}/probe`)
    })
}

/** Strongroom as the image runs it, on SQLite or a PostgreSQL that syncs, with so many processes. */
export async function startStrongroom({ folder, cpus }: Place, workers: number, onPostgres: boolean): Promise<Engine> {
  buildService()
  const postgres = onPostgres ? await durablePostgres(cpus) : undefined
  const node = ownNode(folder)
  const [port, s3Port] = (await freePorts(2)) as [number, number]
  const env = {
    ...serviceEnv(folder, postgres && (await createDatabase(postgres.url)).url),
    ...ALLOCATOR,
    HOST,
    PORT: String(port),
    S3_PORT: String(s3Port),
  }
  const several = workers > 1 ? ['--workers', String(workers)] : []
  const program = start('strongroom', [node, COMPILED, 'serve', ...several], { folder, env, cpus })
  const baseUrl = `http://${HOST}:${port}`
  const { access_token: token } = await eventually(program, () => createClient({ baseUrl }).login({ body: WHO }))
  const client = createClient({ baseUrl, token })
  // Without a trash: a DELETE of the others deletes.
  for (const name of [BUCKET, MANY]) await client.createBucket({ body: { name, trash_days: 0 } })
  const target = { host: HOST, port: s3Port, base: '', ...(await client.createAccessKey({ body: { name: 'bench' } })) }
  await ready(program, target)
  return {
    name: `Strongroom, ${onPostgres ? 'PostgreSQL' : 'SQLite'}, ${workers} process${workers > 1 ? 'es' : ''}`,
    durable: 'yes',
    target,
    roots: [program.pid, ...(postgres ? [postgres.pid] : [])],
    stop: () => program.stop().then(() => postgres?.stop()),
  }
}

/** `bench/floors/store.ts`, which asks for no signature. */
export async function startFloor({ folder, cpus }: Place): Promise<Engine> {
  const [port] = (await freePorts(1)) as [number]
  const file = path.join(import.meta.dirname, '../floors/store.ts')
  const env = { UV_THREADPOOL_SIZE: '16' }
  const program = start('bare', [ownNode(folder), file, folder, String(port)], { folder, env, cpus })
  const target = { host: HOST, port, base: '', ...newPair() }
  await eventually(program, () => ask(target, 'PUT', BUCKET))
  return { name: 'bare node:http', durable: BYTES_ONLY, target, roots: [program.pid], stop: program.stop }
}

type Start = (program: string, place: Place) => Promise<Engine>

/** MinIO on one folder, without its console and without looking for updates. */
const minio: Start = async (file, { folder, cpus }) => {
  const [port, console] = (await freePorts(2)) as [number, number]
  const pair = newPair()
  const env = {
    MINIO_ROOT_USER: pair.access_key_id,
    MINIO_ROOT_PASSWORD: pair.secret_access_key,
    MINIO_BROWSER: 'off',
    MINIO_UPDATE: 'off',
  }
  const addresses = ['--address', `${HOST}:${port}`, '--console-address', `${HOST}:${console}`]
  const program = start('minio', [file, 'server', '--quiet', ...addresses, path.join(folder, 'data')], {
    folder,
    env,
    cpus,
  })
  const target = { host: HOST, port, base: '', ...pair }
  await ready(program, target)
  return { name: 'MinIO', durable: BYTES_ONLY, target, roots: [program.pid], stop: program.stop }
}

/** versitygw over a folder, quiet and with connections that are kept: by default it closes them after each answer. */
const versitygw: Start = async (file, { folder, cpus }) => {
  const [port] = (await freePorts(1)) as [number]
  const pair = newPair()
  const env = { ROOT_ACCESS_KEY: pair.access_key_id, ROOT_SECRET_KEY: pair.secret_access_key }
  const data = path.join(folder, 'data')
  fs.mkdirSync(data)
  const options = ['--port', `${HOST}:${port}`, '--quiet', '--keep-alive']
  const program = start('versitygw', [file, ...options, 'posix', data], { folder, env, cpus })
  const target = { host: HOST, port, base: '', ...pair }
  await ready(program, target)
  return { name: 'versitygw', durable: 'no', target, roots: [program.pid], stop: program.stop }
}

/** SeaweedFS with all of its servers in one process, without telemetry. */
const seaweedfs: Start = async (file, { folder, cpus }) => {
  const [port, master, volume, filer] = (await freePorts(4)) as [number, number, number, number]
  const pair = newPair()
  const config = path.join(folder, 's3.json')
  const credentials = [{ accessKey: pair.access_key_id, secretKey: pair.secret_access_key }]
  const identity = { name: 'bench', credentials, actions: ['Admin', 'Read', 'List', 'Tagging', 'Write'] }
  fs.writeFileSync(config, JSON.stringify({ identities: [identity] }))
  const data = path.join(folder, 'data')
  fs.mkdirSync(data)
  const options = {
    dir: data,
    ip: HOST,
    'ip.bind': HOST,
    'master.port': master,
    'master.volumeSizeLimitMB': 1024,
    'master.telemetry': false,
    'volume.port': volume,
    'volume.max': 0,
    filer: true,
    'filer.port': filer,
    'filer.localSocket': path.join(folder, 'filer.sock'),
    s3: true,
    's3.port': port,
    's3.config': config,
    's3.port.iceberg': 0,
    's3.port.lance': 0,
    's3.localSocket': path.join(folder, 's3.sock'),
  }
  const args = Object.entries(options).map(([name, value]) => `-${name}=${value}`)
  const program = start('seaweedfs', [file, 'server', ...args], { folder, env: {}, cpus })
  const target = { host: HOST, port, base: '', ...pair }
  await ready(program, target)
  return { name: 'SeaweedFS', durable: 'no', target, roots: [program.pid], stop: program.stop }
}

/** Supabase Storage, built, in a folder; over files and a PostgreSQL of its own that syncs. */
const supabase: Start = async (file, { folder, cpus }) => {
  const postgres = await durablePostgres(cpus)
  const [port, admin] = (await freePorts(2)) as [number, number]
  const pair = newPair()
  const data = path.join(folder, 'data')
  fs.mkdirSync(data)
  const env = {
    NODE_ENV: 'production',
    SERVER_HOST: HOST,
    SERVER_PORT: String(port),
    SERVER_ADMIN_PORT: String(admin),
    SERVER_REGION: 'us-east-1',
    AUTH_JWT_SECRET: 'the secret of the benchmarks, long enough',
    DATABASE_URL: (await createDatabase(postgres.url)).url,
    DB_INSTALL_ROLES: 'true',
    STORAGE_BACKEND: 'file',
    STORAGE_FILE_BACKEND_PATH: data,
    STORAGE_S3_BUCKET: 'files',
    STORAGE_S3_REGION: 'us-east-1',
    S3_PROTOCOL_ACCESS_KEY_ID: pair.access_key_id,
    S3_PROTOCOL_ACCESS_KEY_SECRET: pair.secret_access_key,
    UPLOAD_FILE_SIZE_LIMIT: String(5 * 1024 ** 3),
    PG_QUEUE_ENABLE: 'false',
    IMAGE_TRANSFORMATION_ENABLED: 'false',
    LOG_LEVEL: 'error',
  }
  const program = start('supabase', [ownNode(folder), 'dist/start/server.js'], { folder, env, cpus, cwd: file })
  const target = { host: HOST, port, base: '/s3', ...pair }
  await ready(program, target)
  return {
    name: 'Supabase Storage, PostgreSQL',
    durable: 'the database, not the files',
    target,
    roots: [program.pid, postgres.pid],
    stop: () => program.stop().then(() => postgres.stop()),
  }
}

/** The servers that can be compared with, by the names that BENCH_RIVALS gives them. */
export const RIVALS: Readonly<Record<string, Start>> = { minio, versitygw, seaweedfs, supabase }
