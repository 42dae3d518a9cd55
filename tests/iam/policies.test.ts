import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { knownActions } from '../../server/iam/actions.ts'
import { type PolicyKind, readPolicy } from '../../server/iam/document.ts'
import { evaluate } from '../../server/iam/evaluate.ts'
import { MalformedPolicy } from '../../server/iam/malformed.ts'
import { anonymous, isAbout, otherPrincipal } from '../../server/iam/principal.ts'
import { policy, request, USERS } from './arbitraries.ts'
import { compare, verdictsOf } from './compare.ts'
import { decideByReference } from './reference.ts'

const OF_BUCKET = { of: 'bucket', bucket: 'photos', users: USERS } as const
const OF_USER = { of: 'identity' } as const
const allow = { Effect: 'Allow', Principal: '*', Action: 's3:GetObject', Resource: 'arn:aws:s3:::photos/*' }
const { Principal: _everyone, ...ofUser } = allow
const document = (...Statement: object[]) => JSON.stringify({ Version: '2012-10-17', Statement })
const conditioned = (Condition: unknown) => document({ ...allow, Condition })

const malformed = (text: string, expected: RegExp, kind: PolicyKind = OF_BUCKET) =>
  assert.throws(
    () => readPolicy(text, kind),
    (error) => {
      assert.ok(error instanceof MalformedPolicy, String(error))
      assert.match(error.message, expected)
      return true
    },
    text,
  )

describe('Policies', () => {
  it('have exactly the grammar of AWS; what is unknown is malformed', () => {
    const cases: [string, RegExp][] = [
      ['', /valid JSON/],
      ['[]', /first byte must be "\{"/],
      ['{"Statement":[]}', /Missing required field Statement/],
      ['{"Version":"2012-10-17"}', /Missing required field Statement/],
      [JSON.stringify({ Version: '2020-01-01', Statement: allow }), /valid version string/],
      [JSON.stringify({ Statement: allow, Owner: 'x' }), /Unknown field Owner/],
      ['{"Statement":[],"Statement":[]}', /Missing|Duplicate/],
      [document({ ...allow, Effect: 'Permit' }), /Invalid effect/],
      [document({ ...allow, Priority: 1 }), /Unknown field Priority/],
      [document({ ...allow, Action: 's3:GetObjet' }), /invalid action/],
      [document({ ...allow, Action: 'iam:GetUser' }), /invalid action/],
      [document({ ...allow, Action: 's3:Foo*' }), /invalid action/],
      [document({ ...allow, NotAction: 's3:PutObject' }), /both Action and NotAction/],
      [document({ ...allow, Resource: 'arn:aws:s3:::videos/*' }), /invalid resource/],
      [document({ ...allow, Resource: 'photos/*' }), /invalid resource/],
      [document({ ...allow, Resource: 'arn:aws-cn:s3:::photos/*' }), /Partition "aws-cn" is not valid/],
      [document({ ...allow, Resource: 7 }), /invalid Resource/],
      [document({ ...allow, Principal: 'ann' }), /Invalid principal/],
      [document({ ...allow, Principal: { AWS: 'arn:aws:iam::000000000000:user/*' } }), /Invalid principal/],
      [document({ ...allow, Principal: { Friend: 'ann' } }), /Invalid principal/],
      [document({ ...ofUser, NotPrincipal: { AWS: '000000000000' } }), /Allow with NotPrincipal/],
      [document(ofUser), /Missing required field Principal/],
      [conditioned({ StringIs: { 's3:prefix': 'a' } }), /Invalid Condition type : StringIs/],
      [conditioned({ NullIfExists: { 's3:prefix': 'true' } }), /Invalid Condition type/],
      [conditioned({ 'ForAllValues:Null': { 's3:prefix': 'true' } }), /Invalid Condition type/],
      [conditioned({ StringEquals: { 's3:prefiks': 'a' } }), /invalid condition key: s3:prefiks/],
      [conditioned({ StringEquals: { 's3:prefix': { a: 1 } } }), /invalid value/],
      [conditioned({ NumericEquals: { 's3:max-keys': 'ten' } }), /Invalid number/],
      [conditioned({ DateLessThan: { 'aws:CurrentTime': 'soon' } }), /Invalid date/],
      [conditioned({ IpAddress: { 'aws:SourceIp': '10' } }), /Invalid IP address/],
      [conditioned({ IpAddress: { 'aws:SourceIp': '10.0.0.0/99' } }), /Invalid IP address/],
      [conditioned({ Bool: { 'aws:SecureTransport': 'yes' } }), /Invalid boolean/],
      [conditioned({ BinaryEquals: { 's3:prefix': '!' } }), /Invalid binary/],
      [document({ ...allow, Resource: `arn:aws:s3:::photos/${'$'}{aws:nobody}` }), /unknown variable/],
      [document({ ...allow, Resource: `arn:aws:s3:::photos/${'$'}{aws:username` }), /incomplete variable/],
      [document({ ...allow, Sid: 'a' }, { ...allow, Sid: 'a' }), /must be unique/],
      [document({ ...allow, Resource: 'arn:aws:s3:::photos/\ud800' }), /not Unicode/],
      [document({ ...allow, Sid: 'x'.repeat(20_480) }), /document size/],
    ]
    for (const [text, expected] of cases) malformed(text, expected)
    malformed(document(allow), /should not specify a principal/, OF_USER)
    malformed(document({ ...ofUser, Resource: 'photos' }), /must be in ARN format/, OF_USER)
    malformed(document(allow), /invalid action/, { of: 'role', users: USERS })
    // What those of users say of other services allows nothing; those of buckets are about S3.
    const ofOthers = readPolicy(document({ ...ofUser, Action: ['kms:Decrypt', 'admin:*'], Resource: '*' }), OF_USER)
    assert.equal(ofOthers.statements[0]?.actions.size, 0)
    malformed(document({ ...allow, Action: 'kms:Decrypt' }), /invalid action/)
    malformed(document({ ...ofUser, Action: 'kms' }), /invalid action/, OF_USER)
    readPolicy(document({ ...ofUser, Action: ['iam:*', 'sts:AssumeRole', 's3:CreateJob'], Resource: '*' }), OF_USER)
    readPolicy(
      document({
        Effect: 'Allow',
        Principal: { Federated: 'id.example.com' },
        Action: 'sts:AssumeRoleWithWebIdentity',
        Condition: { StringEquals: { 'id.example.com/realms/a:sub': 'x' } },
      }),
      { of: 'role', users: USERS },
    )
  })

  it('name every action of S3, IAM and STS, in any case', () => {
    for (const name of knownActions.keys())
      readPolicy(document({ ...ofUser, Action: name.toUpperCase(), Resource: '*' }), OF_USER)
    assert.ok(knownActions.size > 340, String(knownActions.size))
  })

  it('say what the reference says', () => {
    const counted = compare(10_000)
    assert.ok((counted.allow ?? 0) > 100 && (counted.deny ?? 0) > 100, JSON.stringify(counted))
  })

  it('are never wider than the reference where they are damaged, and never crash', () => {
    fc.assert(
      fc.property(
        policy(true).map((one) => JSON.stringify(one)),
        fc.array(
          fc.tuple(
            fc.nat(),
            fc.string({ unit: fc.constantFrom(...'"{}[],:*?$aA1/ \\\ud800'.split('')), maxLength: 3 }),
            fc.nat({ max: 4 }),
          ),
          { maxLength: 3 },
        ),
        fc.array(request, { minLength: 3, maxLength: 3 }),
        (text, damages, requests) => {
          const damaged = damages.reduce((now, [at, put, cut]) => {
            const from = at % (now.length + 1)
            return now.slice(0, from) + put + now.slice(from + cut)
          }, text)
          let read: ReturnType<typeof verdictsOf>
          try {
            read = verdictsOf([JSON.parse(damaged)], true)
          } catch (error) {
            assert.ok(error instanceof MalformedPolicy || error instanceof SyntaxError, String(error))
            assert.throws(() => readPolicy(damaged, OF_BUCKET), MalformedPolicy)
            return
          }
          for (const asked of requests)
            if (read(asked) === 'allow') assert.equal(decideByReference([JSON.parse(damaged)], asked, USERS), 'allow')
        },
      ),
      { numRuns: 3000 },
    )
  })

  it('take no longer than their length allows, whatever their wildcards', () => {
    const stars = `arn:aws:s3:::photos/${'a*'.repeat(480)}b`
    const text = document(...Array.from({ length: 16 }, () => ({ ...allow, Resource: stars })))
    assert.ok(Buffer.byteLength(text) > 15_000)
    const read = readPolicy(text, OF_BUCKET)
    const started = process.cpuUsage()
    const resource = `arn:aws:s3:::photos/${'a'.repeat(1024)}`
    const verdict = evaluate([read], { principal: anonymous, action: 's3:GetObject', resource, known: () => undefined })
    assert.equal(verdict.effect, 'none')
    const { user } = process.cpuUsage(started)
    assert.ok(user < 500_000, `${user} µs`)
  })

  it('name an identity provider by its ARN or its whole issuer, not by the end of one', () => {
    const of = (issuer: string) => `arn:aws:iam::000000000000:oidc-provider/${issuer}`
    const names = (named: string, issuer: string) =>
      isAbout(
        { entries: [otherPrincipal('Federated', named)], negated: false },
        { ...anonymous, federated: of(issuer) },
        'Allow',
      )
    assert.ok(names('id.example.com', 'id.example.com'))
    assert.ok(names(of('id.example.com/a'), 'id.example.com/a'))
    assert.ok(names('arn:aws:iam:::oidc-provider/id.example.com/a', 'id.example.com/a'))
    assert.ok(!names('id.example.com', 'evil.example/:oidc-provider/id.example.com'))
    assert.ok(!names('id.example.com', 'evil.id.example.com'))
    assert.ok(!names('example.com', 'id.example.com'))
  })

  it('name the statement that decides', () => {
    const deny = { ...allow, Sid: 'NotThis', Effect: 'Deny', Resource: 'arn:aws:s3:::photos/secret/*' }
    const read = readPolicy(document(allow, deny), OF_BUCKET)
    const ask = (key: string) =>
      evaluate([read], {
        principal: anonymous,
        action: 's3:GetObject',
        resource: `arn:aws:s3:::photos/${key}`,
        known: () => undefined,
      })
    const allowed = ask('a')
    const denied = ask('secret/a')
    assert.deepEqual([allowed.effect, allowed.effect !== 'none' && allowed.statement.index], ['allow', 0])
    assert.deepEqual([denied.effect, denied.effect !== 'none' && denied.statement.sid], ['deny', 'NotThis'])
  })

  it('are decided later where they depend on what is not known yet', () => {
    const tagged = { StringEquals: { 's3:ExistingObjectTag/open': 'yes' } }
    const allowTagged = readPolicy(conditioned(tagged), OF_BUCKET)
    const denyTagged = readPolicy(document(allow, { ...allow, Effect: 'Deny', Condition: tagged }), OF_BUCKET)
    const ask = (read: typeof allowTagged, values: readonly string[] | undefined | 'later') =>
      evaluate([read], {
        principal: anonymous,
        action: 's3:GetObject',
        resource: 'arn:aws:s3:::photos/a',
        known: () => values,
      })
    assert.equal(allowTagged.readsTags, true)
    const perhaps = ask(allowTagged, 'later')
    assert.deepEqual([perhaps.effect, perhaps.effect !== 'none' && perhaps.sure], ['allow', false])
    const narrower = ask(denyTagged, 'later')
    assert.deepEqual([narrower.effect, narrower.effect !== 'none' && narrower.sure], ['deny', false])
    assert.equal(ask(allowTagged, ['yes']).effect, 'allow')
    assert.equal(ask(allowTagged, undefined).effect, 'none')
    assert.equal(ask(denyTagged, ['yes']).effect, 'deny')
    assert.equal(ask(denyTagged, ['no']).effect, 'allow')
  })

  it('are about all, some or none of what begins alike', () => {
    const isAbout = (resource: string, start: string) => {
      const told: string[] = []
      const policy = readPolicy(document({ ...allow, Resource: `arn:aws:s3:::photos/${resource}` }), OF_BUCKET)
      const { effect } = evaluate([policy], {
        principal: anonymous,
        action: 's3:GetObject',
        resource: `arn:aws:s3:::photos/${start}`,
        below: true,
        known: () => undefined,
        perhaps: (statement) => told.push(statement.effect),
      })
      return told.length > 0 ? 'some' : effect === 'allow' ? 'all' : 'none'
    }
    const cases: [resource: string, start: string, expected: string][] = [
      ['*', '', 'all'],
      ['a/*', '', 'some'],
      ['a/*', 'a/', 'all'],
      ['a/*', 'a/b', 'all'],
      ['a/*', 'a', 'some'],
      ['a/*', 'b', 'none'],
      ['a/b', 'a/', 'some'],
      ['a/b', 'a/b', 'some'],
      ['a/b', 'a/bc', 'none'],
      ['?', 'ä', 'some'],
      ['?', '😀', 'some'],
      ['????????', '', 'some'],
      ['*.jpg', 'a/', 'some'],
      ['*/x/*', 'a/x/b', 'all'],
      ['*/x/*', 'a/', 'some'],
    ]
    for (const [resource, start, expected] of cases) assert.equal(isAbout(resource, start), expected, resource + start)
  })

  it('have no value where there is an empty set of them', () => {
    const policy = readPolicy(conditioned({ Null: { 's3:RequestObjectTagKeys': 'false' } }), OF_BUCKET)
    const ask = (values: string[] | undefined) =>
      evaluate([policy], {
        principal: anonymous,
        action: 's3:GetObject',
        resource: 'arn:aws:s3:::photos/a',
        known: () => values,
      }).effect
    assert.deepEqual([ask(undefined), ask([]), ask(['a'])], ['none', 'none', 'allow'])
  })

  it('of another partition are read where they were kept, and are about nothing here', () => {
    const text = document({ ...allow, Resource: 'arn:aws-cn:s3:::photos/*' })
    const { statements } = readPolicy(text, OF_BUCKET, true)
    assert.equal(statements.length, 1)
  })
})
