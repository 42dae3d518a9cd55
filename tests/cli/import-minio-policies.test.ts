import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { bucketsOf } from '../../cli/minio/buckets.ts'
import { translate } from '../../cli/minio/policies.ts'
import { statementsOf } from '../../cli/minio/statements.ts'
import { matches, wildcardsOverlap } from '../../cli/minio/wildcards.ts'

const arn = (...resources: string[]) => resources.map((one) => `arn:aws:s3:::${one}`)
const allow = (action: string | string[], ...resources: string[]) => ({
  Effect: 'Allow',
  Action: action,
  Resource: arn(...resources),
})
const deny = (action: string | string[], ...resources: string[]) => ({ ...allow(action, ...resources), Effect: 'Deny' })

/** A variable, as policies write it. */
const variable = (name: string) => `\${${name}}`

/** The grants for a policy, as `place: actions`. */
function grants(statements: object[], more: { withDetails?: boolean; ofKey?: boolean; user?: string } = {}): string[] {
  const all = statementsOf({ Version: '2012-10-17', Statement: statements })
  const { grants: found } = translate(all, {
    denials: all.filter(({ allows }) => !allows),
    user: more.user,
    withDetails: more.withDetails ?? false,
    ofKey: more.ofKey ?? false,
  })
  return found.map(({ bucket, prefix, actions }) => `${bucket}/${prefix}: ${actions.join()}`)
}

const ALL = 'list,read,write,delete,policy,create,bypass_lock'
const OF_OBJECTS = 'read,write,delete,bypass_lock'

describe('policies of MinIO as grants', () => {
  it('translates the built-in ones', () => {
    assert.deepEqual(grants([allow('s3:*', '*')]), [`*/: ${ALL}`])
    const admin = { Effect: 'Allow', Action: ['admin:*'] }
    assert.deepEqual(grants([admin, { Effect: 'Allow', Action: ['kms:*'] }, allow('s3:*', '*')]), [
      '*/: list,read,write,delete,policy,manage,create,bypass_lock',
    ])
    const readonly = [allow(['s3:GetBucketLocation', 's3:GetObject'], '*'), deny('admin:CreateUser', '*')]
    assert.deepEqual(grants(readonly), [])
    assert.deepEqual(grants(readonly, { withDetails: true }), ['*/: read'])
    assert.deepEqual(grants([allow('s3:PutObject', '*')]), [])
    assert.deepEqual(grants([allow('s3:PutObject', '*')], { withDetails: true }), ['*/: write'])
    assert.deepEqual(grants([allow(['admin:ServerTrace', 'admin:Prometheus'], '*')]), [])
  })

  it('knows which resources are about buckets, which about keys, and which cannot be said', () => {
    const cases: [resources: string[], expected: string[]][] = [
      [['photos'], ['photos/: list,policy,create']],
      [['photos/'], ['photos/: list,policy,create']],
      // MinIO compares a bucket with a slash at its end.
      [['photos/*'], [`photos/: ${ALL}`]],
      [['photos*'], [`photos*/: ${ALL}`]],
      [['photos/a*'], [`photos/a: ${OF_OBJECTS}`]],
      [
        ['photos', 'photos/a/*'],
        ['photos/: list,policy,create', `photos/a/: ${OF_OBJECTS}`],
      ],
      [['a*b*c*/x/*'], [`a*b*c*/x/: ${OF_OBJECTS}`]],
      [['photos/**'], [`photos/: ${ALL}`]],
      // The same twice, and one within the other.
      [['photos/*', 'photos/a*', 'pho*'], [`pho*/: ${ALL}`]],
      ...[
        'photos/key',
        'photos/a?*',
        'phot?s/*',
        'photos/*/x',
        'photos/*.txt',
        'a*b*c*d*/*',
        'Photos/*',
        'a_b/*',
        '*photos',
        'photos//*',
        `photos/${variable('jwt:sub')}/*`,
      ].map((one): [string[], string[]] => [[one], []]),
    ]
    for (const [resources, expected] of cases)
      assert.deepEqual([resources, grants([allow('s3:*', ...resources)])], [resources, expected])
    assert.deepEqual(grants([{ Effect: 'Allow', Action: 's3:*', Resource: ['arn:aws:s3tables:::*'] }]), [])
    assert.deepEqual(grants([{ Effect: 'Allow', Action: 's3:*', Resource: '*' }]), [`*/: ${ALL}`])
  })

  it('puts in names of users, and their stars as stars', () => {
    const home = [allow('s3:*', `homes/${variable('aws:username')}/*`)]
    assert.deepEqual(grants(home, { user: 'kim' }), [`homes/kim/: ${OF_OBJECTS}`])
    assert.deepEqual(grants(home, { user: '*' }), [])
    assert.deepEqual(grants(home, { user: variable('aws:userid') }), [`homes/\${aws:userid}/: ${OF_OBJECTS}`])
    assert.deepEqual(grants(home), [])
    // A Deny that depends on something unknown is about everything from there on.
    assert.deepEqual(grants([allow('s3:*', 'homes/a/*', 'other/*'), deny('s3:*', `homes/${variable('jwt:sub')}/x`)]), [
      `other/: ${ALL}`,
    ])
  })

  it('takes away all that a Deny may be about', () => {
    const all = allow('s3:*', 'photos/a/*', 'photos/b/*')
    const [a, b] = [`photos/a/: ${OF_OBJECTS}`, `photos/b/: ${OF_OBJECTS}`]
    assert.deepEqual(grants([all]), [a, b])
    for (const one of ['photos/a/x', 'photos/a/*', 'photos/a', 'photos/a/?'])
      assert.deepEqual([one, grants([all, deny('s3:*', one)])], [one, [b]])
    // A star matches slashes, so that photos/b/s/a/x is meant too.
    for (const one of ['*/x', 'photos/?/x', 'ph*s/a/x'])
      assert.deepEqual([one, grants([all, deny('s3:*', one)])], [one, []])
    assert.deepEqual(grants([all, deny('s3:*', 'photos/c/*', 'logs/*')]), [a, b])
    // Of a bucket, the list of uploads is denied, which `write` has of one's own.
    assert.deepEqual(grants([all, deny('s3:*', 'photos')])[0], 'photos/a/: read,delete,bypass_lock')
    const no = (more: object) => grants([all, { Effect: 'Deny', Resource: arn('photos/a/*'), ...more }])
    assert.deepEqual(no({ Action: ['s3:GetObjectTagging'] })[0], 'photos/a/: write,delete,bypass_lock')
    assert.deepEqual(no({ Action: ['s3:GetObjectVersion'] })[0], 'photos/a/: write,delete,bypass_lock')
    assert.deepEqual(no({ Action: ['s3:DeleteObjectVersion'] })[0], 'photos/a/: read,write,bypass_lock')
    assert.deepEqual(no({ NotAction: ['s3:Get*', 's3:List*'] })[0], 'photos/a/: read')
    assert.deepEqual(no({ Action: ['s3:*'], Condition: { Bool: { 'aws:SecureTransport': 'false' } } }), [b])
    // What is about more than S3 is not limited by its resources, what has unknown parts by nothing.
    for (const more of [{ Action: ['*'] }, { Action: ['s3:*', 'admin:*'] }, { Action: ['s3:*'], Principal: '*' }])
      assert.deepEqual(no(more), [])
    assert.deepEqual(grants([all, { Effect: 'Deny', Action: 's3:*', NotResource: arn('photos/*') }]), [])
    assert.deepEqual(grants([all, { Effect: 'Maybe' }]), [])
    assert.deepEqual(grants([all, 'what' as unknown as object]), [])
  })

  it('translates no statement that is limited otherwise', () => {
    for (const more of [
      { Condition: { StringLike: { 's3:prefix': ['a/*'] } } },
      { NotResource: arn('logs/*') },
      { Action: undefined, NotAction: ['s3:DeleteObject'] },
      { Principal: { AWS: ['*'] } },
      { Something: 'new' },
    ])
      assert.deepEqual(grants([{ ...allow('s3:*', 'photos/*'), ...more }]), [])
    assert.deepEqual(grants([{ ...allow('s3:*', 'photos/*'), Condition: {} }]), [`photos/: ${ALL}`])
  })

  it('wants it said in a key’s own policy that versions may be deleted', () => {
    const one = [allow('s3:DeleteObject', 'photos/*')]
    assert.deepEqual(grants(one), ['photos/: delete'])
    assert.deepEqual(grants(one, { ofKey: true }), [])
    assert.deepEqual(grants([allow('s3:DeleteObject*', 'photos/*')], { ofKey: true }), ['photos/: delete'])
  })

  it('compares patterns', () => {
    for (const [pattern, text] of [
      ['s3:*', 's3:GetObject'],
      ['*Object', 's3:GetObject'],
      ['s3:?etObject', 's3:GetObject'],
      ['a*b*c', 'aXbYbZc'],
      ['', ''],
    ] as const)
      assert.equal(matches(pattern, text), true, pattern)
    for (const [pattern, text] of [
      ['s3:Get', 's3:GetObject'],
      ['a*b', 'abc'],
      ['?', ''],
    ] as const)
      assert.equal(matches(pattern, text), false, pattern)
    for (const [one, other] of [
      ['a*', '*b'],
      ['*x*', 'a*'],
      ['a?c', 'abc'],
      ['?', 'ä'],
    ] as const)
      assert.equal(wildcardsOverlap(one, other), true, one)
    for (const [one, other] of [
      ['a*', 'b*'],
      ['*a', '*b'],
      ['abc', 'ab'],
    ] as const)
      assert.equal(wildcardsOverlap(one, other), false, one)
    // Nobody can make it slow.
    assert.equal(wildcardsOverlap('*a'.repeat(500), '*b'.repeat(500)), false)
  })
})

describe('bucket metadata of MinIO', () => {
  const bucket = (files: { [name: string]: string }, name = 'photos') => {
    const { buckets, items } = bucketsOf(new Map([[name, new Map(Object.entries(files))]]), new Set())
    return { ...buckets[0], notes: items[0]?.notes ?? [], verdict: items[0]?.verdict }
  }
  const rule = (inner: string, status = 'Enabled') =>
    bucket({
      'lifecycle.xml': `<LifecycleConfiguration><Rule><ID>r</ID><Status>${status}</Status>${inner}</Rule></LifecycleConfiguration>`,
    })

  it('translates quotas', () => {
    const quota = (text: string) => bucket({ 'quota.json': text })
    assert.equal(quota('{"quota":1073741824,"quotatype":"hard"}').quota_gb, 1)
    assert.equal(quota('{"size":536870912,"quota":0,"quotatype":"hard"}').quota_gb, 0.5)
    for (const text of ['{"quota":0}', 'null', '{"quota":5,"quotatype":"fifo"}', '{"size":2e21,"quotatype":"hard"}'])
      assert.equal(quota(text).quota_gb, undefined, text)
    assert.equal(quota('{').verdict, 'narrower')
  })

  it('translates how new objects are encrypted, of key services only that they are', () => {
    const encryption = (inner: string) =>
      bucket({
        'bucket-encryption.xml': `<ServerSideEncryptionConfiguration><Rule><ApplyServerSideEncryptionByDefault>${inner}</ApplyServerSideEncryptionByDefault></Rule></ServerSideEncryptionConfiguration>`,
      })
    const ours = encryption('<SSEAlgorithm>AES256</SSEAlgorithm>')
    assert.deepEqual([ours.encryption, ours.verdict], [{ algorithm: 'AES256' }, 'exact'])
    const other = encryption('<SSEAlgorithm>aws:kms</SSEAlgorithm><KMSMasterKeyID>arn:aws:kms:one</KMSMasterKeyID>')
    assert.deepEqual([other.encryption, other.verdict], [{ algorithm: 'AES256' }, 'narrower'])
    const unknown = encryption('<SSEAlgorithm>rot13</SSEAlgorithm>')
    assert.deepEqual([unknown.encryption, unknown.verdict], [undefined, 'narrower'])
  })

  it('leaves out a lifecycle rule that could delete more', () => {
    const days = '<Expiration><Days>3</Days></Expiration>'
    assert.deepEqual(rule(`<Filter><Prefix>a/</Prefix></Filter>${days}`).lifecycle, [
      { id: 'r', enabled: true, filter: { prefix: 'a/' }, expiration: { days: 3 } },
    ])
    assert.deepEqual(rule(`<Prefix>a/</Prefix>${days}`, 'Disabled').lifecycle?.[0]?.enabled, false)
    for (const inner of [
      `<Filter><ObjectAge>3</ObjectAge></Filter>${days}`,
      `<Filter><And><Prefix>a</Prefix><Owner>x</Owner></And></Filter>${days}`,
      `<Prefix>a</Prefix><Filter><Prefix>b</Prefix></Filter>${days}`,
      `<Filter><ObjectSizeGreaterThan>-1</ObjectSizeGreaterThan></Filter>${days}`,
      `<Only>some</Only>${days}`,
      '<Filter></Filter><Expiration><Days>0</Days></Expiration>',
      '<Filter></Filter><DelMarkerExpiration><Days>1</Days></DelMarkerExpiration>',
      '<Filter></Filter><Transition><Days>1</Days><StorageClass>T</StorageClass></Transition>',
    ]) {
      const { lifecycle, verdict } = rule(inner)
      assert.deepEqual([inner, lifecycle, verdict], [inner, undefined, 'narrower'])
    }
    assert.deepEqual(rule(days, 'Sometimes').lifecycle, undefined)
    const both = rule(`<Filter></Filter><Transition><Days>1</Days><StorageClass>T</StorageClass></Transition>${days}`)
    assert.deepEqual(
      [both.lifecycle, both.verdict],
      [[{ id: 'r', enabled: true, expiration: { days: 3 } }], 'narrower'],
    )
    const newer = rule(
      '<NoncurrentVersionExpiration><NewerNoncurrentVersions>5</NewerNoncurrentVersions></NoncurrentVersionExpiration>',
    )
    assert.deepEqual(newer.lifecycle?.[0]?.noncurrent, { days: 1, newer: 5 })
    const all = rule('<Expiration><Days>3</Days><ExpiredObjectAllVersions>true</ExpiredObjectAllVersions></Expiration>')
    assert.deepEqual([all.lifecycle?.[0]?.expiration, all.verdict], [{ days: 3 }, 'narrower'])
  })

  it('reads no documents that could read others, and no names that buckets cannot have', () => {
    const text =
      '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><VersioningConfiguration><Status>&e;</Status></VersioningConfiguration>'
    const { versioning, notes } = bucket({ 'versioning.xml': text })
    assert.equal(versioning, undefined)
    assert.match(notes.join(), /versioning\.xml cannot be read/)
    assert.equal(bucket({}, 'No_Name').verdict, 'not')
  })
})
