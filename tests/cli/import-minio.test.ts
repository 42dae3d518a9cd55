import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before, it } from 'node:test'
import { promisify } from 'node:util'
import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListBucketsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import { readExports } from '../../cli/minio/read.ts'
import { outcome, type Pair, s3World } from '../s3/s3.ts'
import { findProgram } from '../support/programs.ts'
import { describeOnce, startServer, type TestServer } from '../support/server.ts'
import { commandIn, envIn } from './command.ts'
import { bucketFiles, iamFiles, SECRETS, writeUnpacked, writeZips, zipOf } from './minio-export.ts'

const run = promisify(execFile)
const DOMAIN = ['--email-domain', 'example.org']

describeOnce('the command that imports from MinIO', (engine) => {
  let server: TestServer
  let world: ReturnType<typeof s3World>
  let folder: string
  let token: string
  before(async () => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-minio-'))
    server = await startServer(engine, { S3_PORT: '0' })
    // The command compares expiries with the time of this machine, and clients sign with it.
    server.clock.advance(Date.now() - server.clock.now().getTime())
    await server.later(0)
    world = s3World(server)
    token = (await server.admin.createToken({ body: { name: 'cli' } })).token
    for (const secret of [token, ...Object.values(SECRETS)]) server.secrets.add(secret)
    writeZips(path.join(folder, 'zips'))
    writeUnpacked(path.join(folder, 'unpacked'))
  })
  after(async () => {
    for (const secret of server.secrets) assert.equal(printed().includes(secret), false)
    await server.stop()
    fs.rmSync(folder, { recursive: true, force: true })
  })
  const env = () => envIn(folder, server.url, token)
  const { strongroom, ok, printed } = commandIn(() => ({ folder, env: env() }))
  const pairOf = (id: string): Pair => ({ id: '', access_key_id: id, secret_access_key: SECRETS[id] ?? '' })
  const put = (id: string, bucket: string, key: string) =>
    outcome(world.clientOf(pairOf(id)).send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: key })))
  const get = (id: string, bucket: string, key: string) =>
    outcome(world.clientOf(pairOf(id)).send(new GetObjectCommand({ Bucket: bucket, Key: key })))
  /** What a table says of an item: its verdict and its notes. */
  const said = (table: string, kind: string, name: string): string[] => {
    const lines = table.split('\n')
    const at = lines.findIndex((line) => new RegExp(`^\\w+ +${kind} +${name}$`).test(line))
    assert.ok(at >= 0, `${kind} ${name} is not in\n${table}`)
    const rest = lines.slice(at + 1)
    const end = rest.findIndex((line) => !line.startsWith(' '.repeat(10)))
    return [lines[at]?.split(' ')[0] ?? '', ...rest.slice(0, end).map((line) => line.trim())]
  }

  it('reads zips, folders of zips and what is unpacked as the same, and nothing else', () => {
    const at = (name: string) => path.join(folder, name)
    const [zips, unpacked, both] = [
      readExports([at('zips')]),
      readExports([at('unpacked')]),
      readExports([at('zips/old-iam-info.zip'), at('zips/old-bucket-metadata.zip')]),
    ]
    assert.deepEqual(unpacked, zips)
    assert.deepEqual(both, zips)
    assert.equal(zips.iam.users?.size, 5)
    assert.deepEqual([...zips.buckets.keys()], ['homes', 'photos', 'vault'])
    fs.mkdirSync(at('bad'))
    const bad = (name: string, bytes: Buffer, why: RegExp) => {
      fs.writeFileSync(at(`bad/${name}.zip`), bytes)
      assert.throws(() => readExports([at(`bad/${name}.zip`)]), why)
    }
    const good = zipOf(iamFiles)
    bad('none', Buffer.from('no zip at all'), /none\.zip is not a zip/)
    bad('cut', good.subarray(0, good.length - 4), /cut\.zip is not a zip/)
    bad('hollow', Buffer.concat([good.subarray(0, 40), good.subarray(80)]), /hollow\.zip (is a damaged zip|is not)/)
    bad('other', zipOf({ 'a/b.txt': 'x' }), /Nothing that MinIO exports is in/)
    bad('broken', zipOf({ 'iam-assets/users.json': '{' }), /users\.json is not JSON/)
    bad('list', zipOf({ 'iam-assets/users.json': '[]' }), /users\.json is not an object/)
    assert.throws(() => readExports([at('zips'), at('unpacked')]), /There are two files/)
  })

  it('says what becomes of each item, and with --dry-run changes nothing', async () => {
    const { code, out, err } = await server.records([], () =>
      strongroom(['import', 'minio', ...DOMAIN, '--dry-run', 'zips']),
    )
    assert.equal(code, 2, err)
    assert.deepEqual(said(out, 'policy', 'consoleAdmin').slice(0, 2), ['narrower', 'The built-in aws:consoleAdmin.'])
    assert.deepEqual(said(out, 'policy', 'readwrite'), ['exact', 'The built-in aws:readwrite.'])
    assert.deepEqual(said(out, 'policy', 'photos'), ['exact', 'The policy MinIO-photos.'])
    assert.deepEqual(said(out, 'policy', 'home'), [
      'exact',
      `For each user by themselves, as it depends on \${aws:username}: alice.`,
    ])
    for (const name of ['office', 'no-delete', 'all-but'])
      assert.deepEqual(said(out, 'policy', name), ['exact', `The policy MinIO-${name}.`])
    assert.deepEqual(said(out, 'policy', 'ldap-home')[0], 'not')
    assert.match(said(out, 'policy', 'ldap-home')[1] ?? '', /there is no variable .*ldap:username/)
    assert.deepEqual(said(out, 'group', 'staff'), ['exact', 'The group MinIO staff.'])
    assert.match(said(out, 'user', 'alice').join(), /^exact,alice@example\.org.*With MinIO-home\.,In MinIO staff\./)
    assert.match(said(out, 'user', 'frank').join(), /^narrower,.*No permissions: ldap-home may deny something/)
    assert.match(said(out, 'user', 'disabled1').join(), /Disabled/)
    assert.match(said(out, 'user', 'eve').join(), /No permissions: closed is disabled/)
    assert.equal(said(out, 'access key', 'GUESTSERVICE00000001')[0], 'exact')
    assert.match(said(out, 'access key', 'EXPIREDSERVICE000001').join(), /^not,It expired 2020-01-01/)
    assert.match(said(out, 'access key', 'OFFSERVICE0000000001').join(), /^not,It is disabled/)
    assert.match(
      said(out, 'access key', 'ROOTSERVICE000000001').join(),
      /^not,Its owner minioadmin is not in the export/,
    )
    assert.match(said(out, 'access key', 'LDAPSERVICE000000001').join(), /^not,/)
    assert.equal(said(out, 'identity', 'uid=kim,ou=people,dc=example,dc=org')[0], 'not')
    const ops = said(out, 'identity', 'cn=ops,ou=groups,dc=example,dc=org').join()
    assert.match(ops, /^narrower,A group of LDAP or OpenID: the group MinIO cn=ops,.*idp\.group_mapping/)
    // What a policy opens, and to whom, is said before it is saved.
    assert.match(
      out,
      /\+ identity policy MinIO-no-delete\n[^+]*Nobody who has it|\+ identity policy MinIO-no-delete\n[^+]*delete objects/,
    )
    const photos = said(out, 'bucket', 'photos').join('\n')
    assert.match(photos, /^narrower\nWith .*lifecycle.*quota_gb.*versioning/)
    assert.match(photos, /Events to arn:minio:sqs::PRIMARY:webhook are not translated/)
    assert.match(photos, /Its policy is not brought over, nothing becomes public\. With --public-access it is/)
    assert.match(photos, /Lifecycle rule tier: nothing is left of it/)
    assert.equal(said(out, 'bucket', 'vault')[0], 'exact')
    assert.match(out, /\+ user alice@example\.org/)
    assert.match(out, /secret_access_key: \(secret\)/)
    assert.match(out, /\d+ to create\.\n$/)
  })

  it('imports only some buckets, and users under other names', async () => {
    const buckets = async (...options: string[]) => {
      const table = (
        await server.records([], () => strongroom(['import', 'minio', ...DOMAIN, '--dry-run', ...options, 'zips']))
      ).out
      assert.equal(said(table, 'user', 'alice')[0], 'exact')
      const plan = [...table.matchAll(/^\+ bucket (\S+)$/gm)].map(([, name]) => name)
      const leftOut = ['homes', 'photos', 'vault'].filter((name) =>
        said(table, 'bucket', name).includes('It is left out, as you asked.'),
      )
      return { plan, leftOut }
    }
    assert.deepEqual(await buckets('--except-bucket', 'vault', '--except-bucket', 'homes'), {
      plan: ['photos'],
      leftOut: ['homes', 'vault'],
    })
    assert.deepEqual(await buckets('--only', 'photos'), { plan: ['photos'], leftOut: ['homes', 'vault'] })
    assert.deepEqual(await buckets('--only', 'photos', '--only', 'vault', '--except-bucket', 'vault'), {
      plan: ['photos'],
      leftOut: ['homes', 'vault'],
    })
    const renamed = await strongroom(['import', 'minio', ...DOMAIN, '--dry-run', '--rename', 'alice=alice2', 'zips'])
    assert.match(said(renamed.out, 'user', 'alice')[1] ?? '', /^alice2@example\.org, /)
    assert.match(renamed.out, /\+ user alice2@example\.org\n/)
    assert.match(renamed.out, /\+ access key alice\n/)
    for (const [options, why] of [
      [['--only', 'photo'], /--only photo: there is no such bucket in the export/],
      [['--except-bucket', 'x'], /--except-bucket x: there is no such bucket/],
      [['--rename', 'alicia=b'], /--rename alicia=b: there is no such user/],
      [['--rename', 'alice'], /--rename is name=other, and not alice/],
      [['--rename', 'alice='], /--rename is name=other/],
      [['--rename', 'alice=b', '--rename', 'alice=c'], /--rename names alice twice/],
    ] as const) {
      const { code, err } = await strongroom(['import', 'minio', ...DOMAIN, '--dry-run', ...options, 'zips'])
      assert.equal(code, 2)
      assert.match(err, why)
    }
  })

  it('writes the configuration, with each secret in a file for its owner alone', async () => {
    await server.records([], () => ok('import', 'minio', ...DOMAIN, '--output', 'out.yaml', 'unpacked'))
    const text = fs.readFileSync(path.join(folder, 'out.yaml'), 'utf8')
    for (const secret of Object.values(SECRETS)) assert.equal(text.includes(secret), false)
    const secrets = path.join(folder, 'out.yaml.secrets')
    assert.equal(fs.statSync(secrets).mode & 0o777, 0o700)
    for (const id of fs.readdirSync(secrets)) {
      assert.equal(fs.statSync(path.join(secrets, id)).mode & 0o777, 0o600)
      assert.equal(fs.readFileSync(path.join(secrets, id), 'utf8'), SECRETS[id])
    }
    assert.equal(fs.readdirSync(secrets).length, 7)
    const again = await strongroom(['import', 'minio', ...DOMAIN, '-o', 'out.yaml', 'unpacked'])
    assert.equal(again.code, 1)
    assert.match(again.err, /exists/)
    const other = await strongroom(['import', 'minio', ...DOMAIN, '-n', '-o', 'new.yaml', 'unpacked'])
    assert.equal(other.code, 2)
    assert.equal(fs.existsSync(path.join(folder, 'new.yaml')), false)
  })

  it('refuses to guess addresses, and other systems', async () => {
    for (const [args, why] of [
      [['minio', 'zips'], /--email-domain/],
      [['minio', '--email-domain', 'a@b', 'zips'], /what follows the @/],
      [['ceph', 'zips'], /only MinIO/],
      [['minio'], /usage:/],
    ] as const) {
      const { code, err } = await server.records([], () => strongroom(['import', ...args]))
      assert.deepEqual([args, code], [args, 2])
      assert.match(err, why)
    }
  })

  it('applies it: clients continue with their keys, and can do no more than before', async () => {
    const out = await server.records(
      [
        ...['MinIO-all-but', 'MinIO-no-delete', 'MinIO-office', 'MinIO-photos'].map(() => ({
          action: 'identity_policy_create' as const,
        })),
        // MinIO staff, and the group of LDAP.
        { action: 'group_create' },
        { action: 'identity_policy_attach' },
        { action: 'group_create' },
        { action: 'identity_policy_attach' },
        // alice with her home.
        { action: 'user_create' },
        { action: 'identity_policy_create' },
        // backup-bot with three.
        { action: 'user_create' },
        { action: 'identity_policy_attach' },
        { action: 'identity_policy_attach' },
        { action: 'identity_policy_attach' },
        { action: 'user_create' },
        { action: 'user_create' },
        { action: 'user_create' },
        { action: 'create_bucket', bucket: 'homes' },
        { action: 'create_bucket', bucket: 'photos' },
        { action: 'update_bucket', bucket: 'photos' },
        { action: 'policy_create' },
        { action: 'create_bucket', bucket: 'vault' },
        ...Array.from({ length: 7 }, () => ({ action: 'access_key_create' as const })),
      ],
      () => ok('import', 'minio', ...DOMAIN, '--yes', 'zips'),
    )
    assert.match(out, /\d+ made\.\n$/)
    const again = await server.records([], () => ok('import', 'minio', ...DOMAIN, '--yes', 'zips'))
    assert.match(again, /Nothing to do; \d+ already as named\.\n$/)
    // What was written to a file is the same.
    const applied = await server.records([], () => ok('apply', '--yes', 'out.yaml'))
    assert.match(applied, /Nothing to do/)

    const bucket = await server.admin.getBucket({ params: { bucket: 'photos' } })
    assert.equal(Math.round((bucket.quota_gb ?? 0) * 1024 ** 3), 5_000_000_000)
    assert.equal(bucket.versioning, 'enabled')
    const vault = await server.admin.getBucket({ params: { bucket: 'vault' } })
    assert.deepEqual(vault.object_lock, { mode: 'governance', days: 14, years: null })
    const homes = await server.admin.getBucket({ params: { bucket: 'homes' } })
    assert.deepEqual(homes.encryption, { algorithm: 'AES256' })
    const { items } = await server.admin.listPolicies()
    assert.deepEqual(
      items.map(({ name, prefix, older_than_days, noncurrent_days, keep_versions }) => ({
        name,
        prefix,
        older_than_days,
        noncurrent_days,
        keep_versions,
      })),
      [{ name: 'photos: old-tmp', prefix: 'tmp/', older_than_days: 30, noncurrent_days: 7, keep_versions: 3 }],
    )
    const { items: users } = await server.admin.listUsers()
    assert.deepEqual(
      users.filter(({ is_admin }) => is_admin).map(({ email }) => email),
      ['admin@example.com'],
    )

    // Everyone as in MinIO: through a group, by a policy with their name, limited by their own or another policy.
    assert.equal(await put('alice', 'photos', '2026/a.jpg'), 'ok')
    assert.equal(await put('alice', 'homes', 'alice/1'), 'ok')
    assert.equal(await put('alice', 'homes', 'bob/1'), 'AccessDenied')
    assert.equal(await put('alice', 'vault', '1'), 'AccessDenied')
    assert.equal(await put('GUESTSERVICE00000001', 'photos', 'b.jpg'), 'ok')
    assert.equal(await put('LIMITEDSERVICE000001', 'photos', '2026/c.jpg'), 'ok')
    assert.equal(await get('LIMITEDSERVICE000001', 'photos', '2026/a.jpg'), 'ok')
    assert.equal(await get('LIMITEDSERVICE000001', 'photos', 'b.jpg'), 'AccessDenied')
    assert.equal(await put('LIMITEDSERVICE000001', 'homes', 'alice/2'), 'AccessDenied')
    const bot = world.clientOf(pairOf('backup-bot'))
    assert.equal(await get('backup-bot', 'photos', 'b.jpg'), 'ok')
    assert.equal(await outcome(bot.send(new ListObjectsV2Command({ Bucket: 'photos' }))), 'ok')
    assert.equal(await outcome(bot.send(new DeleteObjectCommand({ Bucket: 'photos', Key: 'b.jpg' }))), 'AccessDenied')
    // A condition on the address: only what it says of the office is allowed from there.
    assert.equal(await put('backup-bot', 'photos', 'c.jpg'), 'ok')
    assert.equal(await get('eve', 'photos', 'b.jpg'), 'AccessDenied')
    assert.equal(await get('frank', 'photos', 'b.jpg'), 'AccessDenied')
    assert.deepEqual((await world.clientOf(pairOf('eve')).send(new ListBucketsCommand())).Buckets ?? [], [])
    for (const id of ['disabled1', 'EXPIREDSERVICE000001', 'OFFSERVICE0000000001', 'ROOTSERVICE000000001'])
      assert.equal(await get(id, 'photos', 'b.jpg'), 'InvalidAccessKeyId', id)
  })

  const rclone = findProgram('rclone')
  it('rclone works with an old key', {
    skip: rclone ? false : 'rclone is not installed: apt-get install rclone',
  }, async () => {
    const config = {
      RCLONE_CONFIG_NEW_TYPE: 's3',
      RCLONE_CONFIG_NEW_PROVIDER: 'Other',
      RCLONE_CONFIG_NEW_ENDPOINT: world.url.href,
      RCLONE_CONFIG_NEW_ACCESS_KEY_ID: 'GUESTSERVICE00000001',
      RCLONE_CONFIG_NEW_SECRET_ACCESS_KEY: SECRETS.GUESTSERVICE00000001 ?? '',
    }
    const client = (...args: string[]) =>
      run(rclone ?? '', args, { env: { PATH: process.env.PATH ?? '', HOME: folder, ...config }, cwd: folder })
    fs.mkdirSync(path.join(folder, 'tree'))
    fs.writeFileSync(path.join(folder, 'tree', 'd.txt'), 'moved')
    await client('copy', 'tree', 'new:photos/moved')
    assert.equal((await client('cat', 'new:photos/moved/d.txt')).stdout, 'moved')
    await assert.rejects(client('copy', 'tree', 'new:vault/moved'), /AccessDenied|403/)
  })

  it('lets anyone in only if that is asked for', async () => {
    const anonymous = () => world.send('GET', '/photos/b.jpg', {}).then(({ status }) => status)
    assert.equal(await anonymous(), 403)
    const args = ['import', 'minio', ...DOMAIN, '--public-access']
    const { out } = await server.records([], () => strongroom([...args, '--dry-run', 'zips']))
    assert.match(out, /~ settings s3\n +public_access: false -> true\n/)
    assert.match(out, /~ bucket photos\n[^~+]*Anyone can read objects and read older versions, in all of photos\./)
    await server.records([{ action: 'settings_update' }, { action: 'update_bucket', bucket: 'photos' }], () =>
      ok(...args, '--yes', 'zips'),
    )
    assert.equal(await anonymous(), 200)
    await server.records([], () => ok(...args, '--yes', 'zips'))
    // Whom a policy denies it by name is no better off without one than with it.
    await server.admin.updateSettings({ body: { s3: { public_access: false } } })
    assert.equal(await anonymous(), 403)
  })

  it('makes administrators, and the root user, only if that is asked for', async () => {
    const args = ['import', 'minio', ...DOMAIN, '--json', '--dry-run']
    const readers = {
      'iam-assets/policies.json': iamFiles['iam-assets/policies.json'] ?? '',
      'iam-assets/users.json': JSON.stringify({ alice: { secretKey: SECRETS.alice, status: 'enabled' } }),
      'iam-assets/user_mappings.json': JSON.stringify({ alice: { policy: 'readonly,consoleAdmin,photos' } }),
    }
    fs.writeFileSync(path.join(folder, 'readers.zip'), zipOf(readers))
    const plan = async (...more: string[]) =>
      (await server.records([], () => strongroom([...args, ...more, 'readers.zip']))).out.trim().split('\n')[1] ?? ''
    assert.match(await plan(), /aws:consoleAdmin/i)
    assert.doesNotMatch(await plan(), /"administrators"/i)
    assert.match(await plan('--administrators'), /"administrators"/)
    assert.match(await plan('--label', 'Berlin'), /berlin-photos/i)
    const root = await ok('import', 'minio', ...DOMAIN, '--root-user', 'minioadmin', '-o', 'root.yaml', 'zips')
    assert.equal(said(root, 'access key', 'ROOTSERVICE000000001')[0], 'exact')
    assert.match(said(root, 'user', 'minioadmin').join(), /Not an administrator/)
    assert.ok(Object.keys(bucketFiles).length > 0)
  })
})
