// What policies say in sentences, and where in the text what is wrong with one shows.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { readPolicy } from '../../server/iam/document.ts'
import { MalformedPolicy } from '../../server/iam/malformed.ts'
import { placeOf } from '../../server/iam/place.ts'
import { describePolicy } from '../../server/iam/sentences/describe.ts'
import { policy, USERS } from './arbitraries.ts'

const OF_BUCKET = { of: 'bucket', bucket: 'photos', users: USERS } as const
const names = new Map(Object.entries(USERS).map(([arn, id]) => [id, arn.slice(arn.lastIndexOf('/') + 1)]))
const [ann = ''] = Object.keys(USERS)
const annName = ann.slice(ann.lastIndexOf('/') + 1)
const document = (...Statement: object[]) => JSON.stringify({ Version: '2012-10-17', Statement }, null, 2)
const ALL = ['arn:aws:s3:::photos', 'arn:aws:s3:::photos/*']

function saysOf(...statements: object[]) {
  const { sentences, warnings } = describePolicy(readPolicy(document(...statements), OF_BUCKET), OF_BUCKET, names)
  return { sentences: sentences.map(({ text }) => text), warnings: warnings.map(({ code }) => code) }
}
const says = (statement: object, sentence: string, ...warnings: string[]) =>
  assert.deepEqual(saysOf(statement), { sentences: [sentence], warnings })

describe('What policies say', () => {
  it('is a sentence for each statement, with a warning of what it opens to whom', () => {
    const read = { Effect: 'Allow', Action: 's3:GetObject', Resource: 'arn:aws:s3:::photos/*' }
    says({ ...read, Principal: '*' }, 'Anyone can read objects, on all objects of photos.', 'opens_to_anyone')
    says({ ...read, Principal: { AWS: ann } }, `${annName} can read objects, on all objects of photos.`, 'opens_to')
    says(
      { ...read, Principal: '*', Condition: { IpAddress: { 'aws:SourceIp': '192.0.2.0/24' } } },
      'Anyone can read objects, on all objects of photos, if the client’s address is in 192.0.2.0/24.',
      'opens_to',
    )
    says(
      { ...read, Principal: { AWS: '000000000000' } },
      'Everyone with a credential can read objects, on all objects of photos.',
      'account_allows_nobody',
    )
    says(
      {
        Effect: 'Deny',
        Principal: '*',
        Action: 's3:*',
        Resource: ALL,
        Condition: { Bool: { 'aws:SecureTransport': 'false' } },
      },
      'Nobody can do everything, in all of photos, if the use of https is false.',
    )
    says(
      { Effect: 'Deny', NotPrincipal: { AWS: ann }, Action: 's3:DeleteObject', Resource: 'arn:aws:s3:::photos/a/*' },
      `Nobody but ${annName} can delete objects, on objects that start with a/.`,
    )
    says(
      { Effect: 'Deny', Principal: '*', Action: 's3:PutBucketPolicy', Resource: ALL },
      'Nobody can change bucket policies, in all of photos.',
      'locks_out',
    )
    says(
      { Effect: 'Allow', Principal: { AWS: ann }, Action: ['s3:PutBucketPolicy'], Resource: ALL[0] },
      `${annName} can change bucket policies, on bucket photos itself.`,
      'opens_to',
      'lets_change_policy',
    )
    says(
      { Effect: 'Deny', Principal: '*', NotAction: 's3:GetObject', Resource: ALL },
      'Nobody can do everything but read objects, in all of photos.',
      'locks_out',
    )
  })

  it('says of a role who takes it on, and that nobody does without a credential', () => {
    const kind = { of: 'role', users: {} } as const
    const trust = (statement: object) => {
      const text = document({ Effect: 'Allow', ...statement })
      const { sentences, warnings } = describePolicy(readPolicy(text, kind), kind, names)
      return [...sentences, ...warnings].map((one) => one.text)
    }
    assert.deepEqual(trust({ Principal: '*', Action: 'sts:AssumeRole' }), [
      'Anyone can take on the role.',
      'It lets everyone with a credential take on the role.',
    ])
    const github = 'token.actions.githubusercontent.com'
    assert.deepEqual(
      trust({
        Principal: { Federated: `arn:aws:iam:::oidc-provider/${github}` },
        Action: 'sts:AssumeRoleWithWebIdentity',
        Condition: { StringLike: { [`${github}:sub`]: 'repo:acme/site:*' } },
      }),
      [
        `Users of ${github} can take on the role with a token, if ${github}:sub matches repo:acme/site:*.`,
        `It lets users of ${github} take on the role with a token.`,
      ],
    )
  })

  it('warns of what has no effect, and of conditions that are the same for every request', () => {
    const at = (Action: string | string[], Resource: string | string[]) =>
      saysOf({ Effect: 'Deny', Principal: '*', Action, Resource }).warnings
    assert.deepEqual(at('s3:ListBucket', 'arn:aws:s3:::photos/*'), ['no_effect'])
    assert.deepEqual(at('s3:GetObject', 'arn:aws:s3:::photos'), ['no_effect'])
    assert.deepEqual(at(['s3:GetObject', 's3:ListBucket'], ALL), [])
    assert.deepEqual(at('s3:GetObject', 'arn:aws:s3:::photos*'), [])
    const when = (Condition: object) =>
      saysOf({ Effect: 'Deny', Principal: '*', Action: 's3:GetObject', Resource: ALL[1], Condition }).warnings
    assert.deepEqual(when({ StringNotEquals: { 'aws:SourceVpc': 'vpc-1' } }), ['always_holds'])
    assert.deepEqual(when({ StringEquals: { 'aws:SourceVpc': 'vpc-1' } }), ['never_holds'])
    assert.deepEqual(when({ StringEquals: { 's3:prefix': 'a' } }), [])
  })

  it('is said of every policy there can be, in sentences that name each statement once', () => {
    fc.assert(
      fc.property(policy(true), (one) => {
        const { sentences, warnings } = describePolicy(readPolicy(JSON.stringify(one), OF_BUCKET), OF_BUCKET, names)
        assert.deepEqual(
          sentences.map(({ statement }) => statement),
          [one.Statement].flat().map((_, i) => i),
        )
        for (const { text } of [...sentences, ...warnings]) assert.match(text, /\.$/)
      }),
      { numRuns: 500 },
    )
  })
})

describe('What is wrong with a policy', () => {
  /** What stands at the place that a fault names. */
  const shownAt = (text: string): string => {
    try {
      readPolicy(text, OF_BUCKET)
    } catch (error) {
      assert.ok(error instanceof MalformedPolicy)
      const { line, column } = placeOf(text, error)
      return (text.split('\n')[line - 1] ?? '').slice(column - 1)
    }
    return assert.fail(`it is a policy: ${text}`)
  }

  it('is shown where it stands', () => {
    const allow = { Effect: 'Allow', Principal: '*', Action: ['s3:GetObject'], Resource: ALL }
    assert.equal(shownAt(document(allow, { ...allow, Action: ['s3:PutObject', 's3:Putt'] })), '"s3:Putt"')
    assert.equal(shownAt(document({ ...allow, Effect: 'Permit' })), '"Permit",')
    assert.equal(shownAt(document({ ...allow, Resource: [ALL[0], 'arn:aws:s3:::videos'] })), '"arn:aws:s3:::videos"')
    assert.equal(shownAt(document({ ...allow, Priority: 7 })), '7')
    assert.equal(shownAt(document({ ...allow, Principal: { AWS: ['*', 'x y'] } })), '"x y"')
    assert.equal(
      shownAt(document({ ...allow, Condition: { Bool: { 'aws:"Nothing': 'a', 's3:prefix': 'b' } } })),
      '"a",',
    )
    assert.equal(shownAt(document({ ...allow, Condition: { StringIs: {} } })), '{}')
    // What is missing shows where it should be; what is no JSON, where that begins.
    assert.match(shownAt(document({ Effect: 'Allow' })), /^\{/)
    assert.match(shownAt('{\n  "Statement": [}\n'), /^\}/)
    assert.equal(shownAt('{"Statement": ['), '')
  })
})
