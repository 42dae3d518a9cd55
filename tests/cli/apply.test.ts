import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before, it } from 'node:test'
import { bareEnv } from '../support/process.ts'
import { describeOnce, dump, startServer, type TestServer } from '../support/server.ts'
import { commandIn } from './command.ts'

const EXAMPLE = path.join(import.meta.dirname, '../../docs/examples/team.yaml')
const SECRETS = { ADA_PASSWORD: 'the password of ada', BACKUPS_SECRET: 'the-secret-of-backups' }

describeOnce('the commands for configurations', (engine) => {
  let server: TestServer
  let folder: string
  let token: string
  const { strongroom, printed } = commandIn(() => ({
    folder,
    env: { ...bareEnv, HOME: folder, STRONGROOM_URL: server.url, STRONGROOM_TOKEN: token },
  }))
  before(async () => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-apply-'))
    server = await startServer(engine)
    token = (await server.admin.createToken({ body: { name: 'cli' } })).token
    for (const secret of Object.values(SECRETS)) server.secrets.add(secret)
  })
  after(async () => {
    for (const secret of [token, ...Object.values(SECRETS)]) assert.equal(printed().includes(secret), false)
    await server.stop()
    fs.rmSync(folder, { recursive: true, force: true })
  })
  const write = (name: string, ...lines: string[]) => fs.writeFileSync(path.join(folder, name), `${lines.join('\n')}\n`)
  const unchanged = async (...args: Parameters<typeof strongroom>) => {
    const before = await dump(server.database, engine)
    const result = await server.records([], () => strongroom(...args))
    assert.equal(withoutUse(await dump(server.database, engine)), withoutUse(before))
    return result
  }

  it('applies the example: a plan with its effects, the changes, and then nothing to do', async () => {
    const plan = await unchanged(['apply', '--dry-run', EXAMPLE], { env: SECRETS })
    assert.deepEqual([plan.code, plan.err], [2, ''])
    assert.match(plan.out, /^\+ group Designers\n {4}description: .+\n {4}grants: \[\{"bucket_pattern":"archive-\*"/m)
    assert.match(plan.out, /^\+ access key BACKUPS\n( {4}.*\n)* {4}secret_access_key: \(secret\)$/m)
    assert.match(plan.out, /^ {4}Object Lock cannot be turned off again\.$/m)
    assert.match(plan.out, /^~ settings audit\n {4}retention_days: 365 -> 730$/m)
    assert.match(plan.out, /\n11 to create, 3 to update\.\n$/)
    const made = await strongroom(['apply', EXAMPLE], { env: SECRETS })
    assert.deepEqual([made.code, made.err], [0, ''])
    assert.equal(made.out, plan.out.replace(/$/, '14 made.\n'))
    const again = await unchanged(['apply', EXAMPLE], { env: SECRETS })
    assert.deepEqual([again.code, again.out, again.err], [0, 'Nothing to do; 14 already as named.\n', ''])
    const drift = await unchanged(['apply', '-n', EXAMPLE], { env: SECRETS })
    assert.equal(drift.code, 0)
    await server.login('ada@example.com', SECRETS.ADA_PASSWORD)
  })

  it('shows a change by hand as drift, with exit code 2', async () => {
    await server.admin.updateBucket({ params: { bucket: 'photos' }, body: { quota_gb: 250 } })
    const drift = await unchanged(['apply', '--dry-run', EXAMPLE], { env: SECRETS })
    assert.deepEqual(
      [drift.code, drift.out],
      [2, '~ bucket photos\n    quota_gb: 250 -> 200\n1 to update; 13 already as named.\n'],
    )
    await server.records([{ action: 'update_bucket', bucket: 'photos' }], () =>
      strongroom(['apply', '--json', EXAMPLE], { env: SECRETS }),
    )
  })

  it('names all faults with the lines of their files, and changes nothing', async () => {
    write(
      'people.yaml',
      'groups:',
      '  - name: Editors',
      '    grants:',
      '      - bucket_pattern: photos',
      '        preset: king',
      'users:',
      '  - email: kim@example.com',
      '    groups: [Editors, Writers]',
      '    password: in plain text',
    )
    write(
      'more.json',
      '{"users": [',
      '  {"email": "lee@example.com", "age": 7},',
      '  {"email": "KIM@example.com"}',
      ']}',
    )
    const { code, out, err } = await unchanged(['apply', 'people.yaml', 'more.json'])
    assert.deepEqual([code, out], [1, ''])
    assert.deepEqual(
      err.split('\n').map((line) => line.replace(/^strongroom: /, '')),
      [
        'more.json:2: users.1.age is unknown',
        'more.json:3: users.2.email is named twice',
        'people.yaml:5: groups.0.grants.0.preset must be equal to one of the allowed values',
        'people.yaml:8: users.0.groups.1 names a group that does not exist: "Writers"',
        'people.yaml:9: users.0.password is a secret: name where it is, {env: VARIABLE} or {file: PATH}',
        '5 faults in the configuration. Nothing was changed.',
        '',
      ],
    )
  })

  it('names what is wrong with the text of a file', async () => {
    write('broken.yaml', 'buckets:', '  - name: x', '   quota_gb: 3')
    write('list.yaml', '- name: x')
    const { code, err } = await unchanged(['apply', 'broken.yaml', 'list.yaml'])
    assert.equal(code, 1)
    assert.match(err, /^strongroom: broken\.yaml:3: .+\nstrongroom: list\.yaml:1: must have the kinds/)
    const missing = await unchanged(['apply', 'no.yaml'])
    assert.deepEqual([missing.code, missing.err.includes('no.yaml')], [1, true])
    assert.equal((await unchanged(['apply'])).code, 2)
  })

  it('takes secrets from variables and files, and says which is missing', async () => {
    write('key.txt', SECRETS.BACKUPS_SECRET)
    const key = (secret: string) => [
      'access_keys:',
      '  - access_key_id: FROM-FILE',
      '    user: admin@example.com',
      `    secret_access_key: ${secret}`,
    ]
    write('key.yaml', ...key('{ file: key.txt }'))
    write('none.yaml', ...key('{ env: NO_SUCH }'), 'users: [{ email: x@example.com, password: { file: no.txt } }]')
    const { code, err } = await unchanged(['apply', 'none.yaml'])
    assert.equal(code, 1)
    assert.deepEqual(
      err
        .split('\n')
        .slice(0, 2)
        .map((line) => line.replace(/ENOENT.*/, '')),
      [
        'strongroom: none.yaml:4: access_keys.0.secret_access_key is to be in the variable NO_SUCH, which is not set',
        'strongroom: none.yaml:5: users.0.password cannot be read: ',
      ],
    )
    await server.records([{ action: 'access_key_create' }], () => strongroom(['apply', path.join(folder, 'key.yaml')]))
    assert.equal((await unchanged(['apply', 'key.yaml'])).code, 0)
    write('key.txt', 'another-secret')
    const drift = await unchanged(['apply', '-n', 'key.yaml'])
    assert.deepEqual([drift.code, drift.out.split('\n')[1]], [2, '    secret_access_key: (secret)'])
  })

  it('prints the links of those whom it invites, once', async () => {
    write('invite.yaml', 'users: [{ email: ina@example.com, display_name: Ina, invite: true }]')
    const made = await server.records([{ action: 'user_create' }, { action: 'invitation_create' }], () =>
      strongroom(['apply', 'invite.yaml']),
    )
    assert.equal(made.code, 0)
    assert.match(made.out, /^ {4}invite: true$/m)
    const [, token = ''] =
      /^Invitation of ina@example\.com, shown only now and valid until \S+Z:\n\S+\/console\/invitation#(\S+)\n1 made\.$/m.exec(
        made.out,
      ) ?? []
    server.secrets.add(token)
    const { email } = await server.as().readInvitation({ body: { token } })
    assert.equal(email, 'ina@example.com')
    const again = await unchanged(['apply', 'invite.yaml'])
    assert.deepEqual([again.code, again.out], [0, 'Nothing to do; 1 already as named.\n'])
  })

  it('exports a file that applies without a change, from standard input too', async () => {
    const exported = await unchanged(['export'])
    assert.deepEqual([exported.code, exported.err], [0, ''])
    assert.match(exported.out, /^ *# secret_access_key: \{ env: SECRET_OF_BACKUPS \}$/m)
    const { code, out } = await unchanged(['apply', '--prune', '-'], { input: exported.out })
    assert.deepEqual([code, out.replace(/\d+/, 'N')], [0, 'Nothing to do; N already as named.\n'])
  })

  it('with --prune deletes what is not named, and says what stays', async () => {
    await server.admin.createBucket({ body: { name: 'by-hand' } })
    const exported = (await strongroom(['export', '--json'])).out
    const { buckets, ...others } = JSON.parse(exported)
    const kept = buckets.filter(({ name }: { name: string }) => name !== 'by-hand' && name !== 'photos')
    await server.admin.putObject({ params: { bucket: 'photos', key: 'x' }, body: 'x' })
    const { code, out } = await server.records([{ action: 'delete_bucket', bucket: 'by-hand' }], () =>
      strongroom(['apply', '--prune', '--yes', '-'], { input: JSON.stringify({ ...others, buckets: kept }) }),
    )
    assert.equal(code, 0)
    assert.match(
      out,
      /^- bucket by-hand\n= bucket photos stays: It has 1 object\.\n1 to delete; \d+ already as named\.\n1 made\.\n$/,
    )
  })

  it('says which change failed, and ends with exit code 1', async () => {
    await server.admin.createBucket({ body: { name: 'lockable', object_lock: {} } })
    write('fails.yaml', 'buckets:', '  - { name: lockable, versioning: suspended }', '  - { name: never }')
    const { code, out, err } = await unchanged(['apply', 'fails.yaml'])
    assert.equal(code, 1)
    assert.match(out, /\n0 made, 1 not reached\.\n$/)
    assert.match(err, /^strongroom: bucket lockable: Object Lock needs .+ \(conflict\)\n$/)
  })
})

/** A dump without when the command's token was last used. */
const withoutUse = (text: string) => text.replaceAll(/"last_used_(at|ip)":("[^"]*"|null)/g, '')
