import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { bucketsOf } from '../../cli/minio/buckets.ts'
import type { For } from '../../cli/minio/conditions.ts'
import { readyMade, translatePolicy } from '../../cli/minio/policies.ts'
import { matches } from '../../cli/minio/wildcards.ts'
import { readPolicy } from '../../server/iam/document.ts'

const arn = (...resources: string[]) => resources.map((one) => `arn:aws:s3:::${one}`)
const allow = (action: string | string[], ...resources: string[]) => ({
  Effect: 'Allow',
  Action: action,
  Resource: arn(...resources),
})
const deny = (action: string | string[], ...resources: string[]) => ({ ...allow(action, ...resources), Effect: 'Deny' })

/** A variable, as policies write it. */
const variable = (name: string) => `\${${name}}`
const ALICE = { name: 'alice', groups: ['staff'] }

/** The statements for some of MinIO's, or why there are none. */
function translated(statements: object[], more: { of?: For; ofKey?: boolean; bucket?: string } = {}) {
  const { of = 'anyone', ofKey = false, ...place } = more
  const document = { Version: '2012-10-17', Statement: statements }
  const found = translatePolicy(document, { of, ofKey, ...place })
  if ('obstacle' in found) return found.obstacle
  const text = JSON.stringify(found.document)
  // What is written is a policy here.
  if (found.document)
    readPolicy(
      text,
      place.bucket === undefined ? { of: 'identity' } : { of: 'bucket', bucket: place.bucket, users: {} },
    )
  return (found.document?.Statement ?? []) as object[]
}
const all = { Effect: 'Allow', Action: ['s3:*'] }

describe('policies of MinIO', () => {
  it('come over as they are', () => {
    const whole = [
      { Sid: 'Home', ...all, Resource: arn('photos/*', 'photos') },
      {
        Effect: 'Deny',
        Action: ['s3:PutObject'],
        Resource: arn('*'),
        Condition: { Bool: { 'aws:SecureTransport': 'false' }, 'ForAnyValue:StringLike': { 'jwt:groups': 'x*' } },
      },
      { Effect: 'Allow', Action: ['s3:GetBucketLocation', 's3:ListAllMyBuckets'], Resource: arn('*') },
    ]
    assert.deepEqual(translated(whole), whole)
    assert.deepEqual(translated([{ Effect: 'Allow', Action: ['s3:*'], NotResource: arn('logs', 'logs/*') }]), [
      { Effect: 'Allow', Action: ['s3:*'], NotResource: arn('logs', 'logs/*') },
    ])
  })

  it('name what MinIO asks for under another name', () => {
    const actions = (statement: object, ofKey = false) =>
      (
        translated([{ ...statement, Resource: arn('a/*') }], { ofKey }) as { Action?: string[]; NotAction?: string[] }[]
      ).map(({ Action, NotAction }) => (Action ? Action.sort().join() : `not ${NotAction?.sort().join()}`))
    const one = (Action: string) => actions({ Effect: 'Allow', Action })
    assert.deepEqual(one('s3:GetObject'), ['s3:GetObject,s3:GetObjectVersion'])
    assert.deepEqual(one('s3:DeleteObject'), ['s3:DeleteObject,s3:DeleteObjectVersion'])
    assert.deepEqual(actions({ Effect: 'Allow', Action: 's3:DeleteObject' }, true), ['s3:DeleteObject'])
    assert.deepEqual(one('s3:ListBucket'), ['s3:ListBucket,s3:ListBucketVersions'])
    assert.deepEqual(one('s3:PutBucketCors'), [])
    assert.deepEqual(one('s3:*BucketCors'), ['s3:GetBucketCors,s3:PutBucketCors'])
    // Nothing that MinIO does not have, such as ACLs, and nothing that is not here.
    assert.deepEqual(one('s3:PutObject*'), [
      's3:PutObject,s3:PutObjectLegalHold,s3:PutObjectRetention,s3:PutObjectTagging,s3:PutObjectVersionTagging',
    ])
    assert.deepEqual(one('s3:ListenNotification'), [])
    const no = (more: object) => actions({ Effect: 'Deny', ...more })
    assert.deepEqual(no({ Action: 's3:GetObject' }), ['s3:GetObject,s3:GetObjectVersion'])
    assert.deepEqual(no({ Action: 's3:ListBucketVersions' }), ['s3:ListBucketVersions'])
    assert.deepEqual(no({ Action: 's3:DeleteBucketCors' }), ['s3:PutBucketCors'])
    assert.match(no({ Action: 's3:PutObject*' })[0] ?? '', /^s3:PutObject,s3:PutObject\*,/)
    const [but] = no({ NotAction: ['s3:Get*', 's3:List*'] })
    assert.match(but ?? '', /^not s3:GetBucketCors,.*s3:GetObject,.*s3:ListBucket,/)
    assert.doesNotMatch(but ?? '', /Put|Delete/)
    assert.deepEqual(no({ NotAction: ['s3:GetObject'] }), ['not s3:GetObject'])
    const everywhere = translated([{ Effect: 'Deny', NotAction: ['s3:*'], Resource: arn('*') }]) as {
      Action: string[]
    }[]
    assert.deepEqual(everywhere[1]?.Action, ['iam:*', 'sts:*'])
  })

  it('are about the same buckets and keys', () => {
    const places = (...resources: string[]) =>
      (translated([allow('s3:*', ...resources)]) as { Action: string[]; Resource: string[] }[]).map(
        ({ Action, Resource }) =>
          `${Action.includes('s3:*') ? 'all' : Action.includes('s3:PutObject') ? 'objects' : 'buckets'} ${Resource.map((one) => one.slice(13)).join()}`,
      )
    const cases: [resources: string[], expected: string[]][] = [
      [['photos'], ['all photos']],
      [['photos/'], ['all photos/,photos']],
      // MinIO compares a bucket with a slash at its end.
      [['photos/*'], ['all photos/*,photos']],
      [['photos*'], ['all photos*']],
      [['photos/**'], ['all photos/*,photos']],
      [['photos/a*'], ['all photos/a*']],
      // And a key without one.
      [['photos/key'], ['all photos/key,photos/key/']],
      [['log*/*'], ['all log*/*,log*']],
      // A star before the end is never about a bucket.
      [['*-old'], ['objects *-old']],
      [['p*o/*'], ['buckets p*o', 'objects p*o/*']],
      [['phot?'], ['buckets phot', 'objects phot?']],
      [['photos/*/x'], ['objects photos/*/x']],
    ]
    for (const [resources, expected] of cases)
      assert.deepEqual([resources, places(...resources)], [resources, expected])
    assert.deepEqual(translated([{ ...all, Resource: '*' }]), [{ ...all, Resource: arn('*') }])
  })

  it('get the names of those whom they depend on, one user at a time', () => {
    const home = { ...all, Resource: arn(`homes/${variable('aws:username')}/*`) }
    const list = {
      ...all,
      Resource: arn('homes'),
      Condition: { StringLike: { 's3:prefix': `${variable('aws:userid')}/*` } },
    }
    assert.equal(translated([home]), `it depends on ${variable('aws:username')}`)
    assert.deepEqual(translated([home, list], { of: ALICE }), [
      { ...all, Resource: arn('homes/alice/*') },
      { ...list, Condition: { StringLike: { 's3:prefix': 'alice/*' } } },
    ])
    const when = (Condition: object, of: For = ALICE) => translated([{ ...all, Resource: arn('a'), Condition }], { of })
    const always = [{ ...all, Resource: arn('a') }]
    assert.deepEqual(when({ StringEquals: { 'aws:username': ['bob', 'alice'] } }), always)
    assert.deepEqual(when({ StringEquals: { 'aws:username': 'bob' } }), [])
    assert.deepEqual(when({ StringNotLike: { 'aws:username': 'b*' } }), always)
    assert.deepEqual(when({ 'ForAnyValue:StringEquals': { 'aws:groups': ['staff'] } }), always)
    assert.equal(when({ StringEquals: { 'aws:username': 'bob' } }, 'anyone'), 'it depends on aws:username')
    const star = { name: 'a*', groups: [] }
    assert.match(String(translated([home], { of: star })), /which has a meaning in policies/)
  })

  it('are refused whole where a part cannot be kept', () => {
    const good = allow('s3:*', 'photos/*')
    for (const [bad, why] of [
      ['what', /cannot be read/],
      [{ Effect: 'Maybe' }, /neither allows nor denies/],
      [{ ...good, Something: 'new' }, /has Something/],
      [{ ...good, Principal: { AWS: ['*'] } }, /has Principal/],
      [{ Effect: 'Allow', Action: 's3:*' }, /no Resource/],
      [{ ...good, NotAction: 's3:GetObject' }, /no Action, or two/],
      [{ ...good, Action: ['s3:*', 'admin:*'] }, /ignores its resources/],
      [{ ...good, Resource: ['arn:aws:s3tables:::x'] }, /no resource of S3/],
      [allow('s3:*', `a/${variable('ldap:username')}/*`), /no variable/],
      [{ ...good, Condition: { StringEquals: { 'ldap:username': 'kim' } } }, /ldap:username/],
      [{ ...good, Condition: { StringEquals: { 's3:LocationConstraint': 'eu' } } }, /LocationConstraint/],
      [{ ...good, Condition: { NumericNotEquals: { 's3:max-keys': '10' } } }, /NumericNotEquals/],
      [
        { ...good, Condition: { 'ForAllValues:StringNotEquals': { 'jwt:groups': 'x' } } },
        /ForAllValues:StringNotEquals/,
      ],
      [{ ...good, Sid: 'x'.repeat(11_000) }, /more than the 10240 bytes/],
    ] as [unknown, RegExp][]) {
      const found = translated([good, bad as object])
      assert.equal(typeof found, 'string', JSON.stringify(bad).slice(0, 200))
      assert.match(String(found), why)
    }
  })

  it('of other services allow nothing, and stop whom they stop', () => {
    assert.deepEqual(
      translated([
        { Effect: 'Allow', Action: ['admin:*'] },
        { Effect: 'Allow', Action: ['kms:*'] },
      ]),
      [],
    )
    assert.deepEqual(translated([{ Effect: 'Deny', Action: ['admin:CreateUser'] }]), [
      { Effect: 'Deny', Action: ['iam:*'], Resource: ['*'] },
    ])
    assert.deepEqual(translated([deny('*', '*')]), [
      { Effect: 'Deny', Action: ['*'], Resource: arn('*') },
      { Effect: 'Deny', Action: ['iam:*', 'sts:*'], Resource: ['*'] },
    ])
  })

  it('of buckets are about requests without a credential', () => {
    const anyone = { Principal: { AWS: ['*'] } }
    const of = 'anonymous'
    const bucket = 'photos'
    assert.deepEqual(translated([{ ...allow('s3:GetObject', 'photos/*'), ...anyone }], { of, bucket }), [
      {
        Effect: 'Allow',
        Principal: '*',
        Action: ['s3:GetObject', 's3:GetObjectVersion'],
        Resource: arn('photos/*', 'photos'),
      },
    ])
    const secret = {
      ...deny('s3:*', 'photos/secret/*'),
      Principal: '*',
      Condition: { StringEquals: { 'aws:Referer': 'x' } },
    }
    assert.deepEqual(translated([secret], { of, bucket }), [
      {
        Effect: 'Deny',
        Principal: '*',
        Action: ['s3:*'],
        Resource: arn('photos/secret/*'),
        Condition: { StringEquals: { 'aws:Referer': 'x', 'aws:PrincipalType': 'Anonymous' } },
      },
    ])
    // MinIO asks them of nobody who has a credential.
    const alice = { ...allow('s3:*', 'photos/*'), Principal: { AWS: ['arn:aws:iam:::user/alice'] } }
    assert.deepEqual(translated([alice], { of, bucket }), [])
    const named = { ...allow('s3:*', 'photos/*'), ...anyone, Condition: { StringEquals: { 'aws:username': 'alice' } } }
    assert.deepEqual(translated([named], { of, bucket }), [])
    assert.match(String(translated([{ ...allow('s3:*', 'logs/*'), ...anyone }], { of, bucket })), /not in the bucket/)
  })

  it('that are ready-made are the built-in ones, while they say the same', () => {
    const ready = (name: string, ...Statement: object[]) => readyMade(name, { Version: '2012-10-17', Statement })
    assert.equal(ready('readonly', allow(['s3:GetObject', 's3:GetBucketLocation'], '*')), 'aws:readonly')
    assert.equal(ready('readonly', allow('s3:GetObject', '*')), undefined)
    assert.equal(ready('readwrite', allow('s3:*', '*')), 'aws:readwrite')
    assert.equal(ready('readwrite', allow('s3:*', '*'), deny('s3:*', 'a')), undefined)
    assert.equal(ready('readwrite', { ...allow('s3:*', '*'), Condition: { Bool: {} } }), undefined)
    assert.equal(ready('other', allow('s3:*', '*')), undefined)
    const admin = { Effect: 'Allow', Action: ['admin:*'] }
    assert.equal(
      ready('consoleAdmin', admin, { Effect: 'Allow', Action: ['kms:*'] }, allow('s3:*', '*')),
      'aws:consoleAdmin',
    )
    assert.equal(ready('diagnostics', allow(['admin:ServerTrace', 'admin:Prometheus'], '*')), 'aws:diagnostics')
  })

  it('have patterns', () => {
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
  })
})

describe('bucket metadata of MinIO', () => {
  const bucket = (files: { [name: string]: string }, name = 'photos', publicAccess = false) => {
    const { buckets, items } = bucketsOf(new Map([[name, new Map(Object.entries(files))]]), {
      leftOut: new Set(),
      publicAccess,
    })
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

  it('brings over what a bucket allows anyone only if that is asked for, and never a part of it', () => {
    const policy = (statement: object, publicAccess = true) =>
      bucket(
        { 'policy.json': JSON.stringify({ Version: '2012-10-17', Statement: [statement] }) },
        'photos',
        publicAccess,
      )
    const anyone = { ...allow('s3:GetObject', 'photos/*'), Principal: { AWS: ['*'] } }
    const { policy: kept, verdict } = policy(anyone)
    assert.deepEqual([kept?.Statement[0]?.Effect, verdict], ['Allow', 'exact'])
    const { policy: none, notes } = policy(anyone, false)
    assert.equal(none, undefined)
    assert.match(notes.join(), /nothing becomes public\. With --public-access/)
    const denying = policy({ ...anyone, Effect: 'Deny' }, false)
    assert.deepEqual([denying.policy?.Statement[0]?.Effect, denying.verdict], ['Deny', 'exact'])
    const strange = policy({ ...anyone, Condition: { StringEquals: { 'ldap:user': 'x' } } })
    assert.deepEqual([strange.policy, strange.verdict], [undefined, 'narrower'])
    assert.equal(bucket({ 'policy.json': '[' }).verdict, 'narrower')
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
