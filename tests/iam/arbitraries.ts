// Random policies and requests that have much to do with each other: of a few names, keys and values.
import fc from 'fast-check'
import { knownActions } from '../../server/iam/actions.ts'
import { operatorNames } from '../../server/iam/operators.ts'
import type { ReferencePrincipal, ReferenceRequest } from './reference.ts'

const ACCOUNT = '000000000000'
const user = (name: string) => `arn:aws:iam::${ACCOUNT}:user/${name}`
const CANONICAL = { ann: 'a'.repeat(64), ben: 'b'.repeat(64) }
/** Who the users are that policies name. */
export const USERS: { [arn: string]: string } = {
  [user('ann')]: 'id-ann',
  [user('team/ben')]: 'id-ben',
  'arn:aws:iam:::user/ann': 'id-ann',
}
const role = `arn:aws:iam::${ACCOUNT}:role/app`
const session = `arn:aws:sts::${ACCOUNT}:assumed-role/app/one`
const provider = `arn:aws:iam::${ACCOUNT}:oidc-provider/tokens.example.com/org`

const principals: ReferencePrincipal[] = [
  { kind: 'anonymous', user: null, arn: null, canonical: null },
  { kind: 'user', user: 'id-ann', arn: user('ann'), canonical: CANONICAL.ann },
  { kind: 'user', user: 'id-ben', arn: user('ben'), canonical: CANONICAL.ben },
  { kind: 'role', user: 'id-ann', arn: session, role, canonical: null },
  { kind: 'role', user: null, arn: session, role, federated: provider, canonical: null },
]

const some = <T>(one: fc.Arbitrary<T>, maxLength = 3) =>
  fc.oneof(one, fc.array(one, { minLength: 1, maxLength })) as fc.Arbitrary<T | T[]>

const awsPrincipal = fc.constantFrom(
  '*',
  ...Object.keys(USERS),
  user('gone'),
  ACCOUNT,
  '111122223333',
  `arn:aws:iam::${ACCOUNT}:root`,
  'arn:aws:iam:::root',
  role,
  'arn:aws:iam:::role/app',
  session,
  `arn:aws:sts::${ACCOUNT}:assumed-role/app/other`,
)
const principalElement = fc.oneof(
  fc.constant('*'),
  fc.record({ AWS: some(awsPrincipal) }),
  fc.record({ CanonicalUser: fc.constantFrom(CANONICAL.ann, CANONICAL.ben) }),
  fc.record({
    Federated: fc.constantFrom(provider, 'tokens.example.com/org'.replace('/org', ''), 'other.example.com'),
  }),
  fc.record({ AWS: awsPrincipal, CanonicalUser: fc.constant(CANONICAL.ben) }),
)

const ACTIONS = ['s3:GetObject', 's3:GetObjectVersion', 's3:PutObject', 's3:DeleteObject', 's3:ListBucket']
const actionElement = some(
  fc.constantFrom(
    ...ACTIONS,
    's3:*',
    '*',
    's3:Get*',
    's3:getobject',
    's3:?etObject',
    's3:*Object*',
    's3:List*',
    's3:*Bucket',
  ),
)

const BUCKET = 'photos'
const KEYS = ['a', 'home/ann/x', 'home/ben/y', 'home/*', 'deep/er/ä/漢', 'a?b', 'home/id-ann', '😀/1', '']
const resourceElement = some(
  fc.constantFrom(
    '*',
    `arn:aws:s3:::${BUCKET}`,
    `arn:aws:s3:::${BUCKET}/*`,
    'arn:aws:s3:::*',
    'arn:aws:s3:::ph?tos/home/*',
    `arn:aws:s3:::${BUCKET}/home/\${aws:username}/*`,
    `arn:aws:s3:::${BUCKET}/home/\${aws:userid}`,
    `arn:aws:s3:::${BUCKET}/home/\${aws:username, 'ben'}/?`,
    `arn:aws:s3:::${BUCKET}/home/\${*}`,
    `arn:aws:s3:::${BUCKET}/a\${?}b`,
    `arn:aws:s3:::${BUCKET}/*/1`,
    `arn:aws:s3:::${BUCKET}/?/1`,
    `arn:aws:s3:::${BUCKET}/*e*/*`,
    `arn:aws:s3:::${BUCKET}/\${aws:PrincipalTag/team}*`,
  ),
)

const TEXTS = ['', 'ann', 'Ann', 'ben', 'home/', 'home/*', 'h?me/', '*', 'a', '😀', 'public-read', 'AES256', 'x y']
const NUMBERS = ['0', '1', '10', '10.5', '-3', '1000', 'many']
const DATES = ['2026-01-01T00:00:00Z', '2026-06-01T12:00:00+02:00', '1767225600', '0', 'soon']
const ADDRESSES = ['10.0.0.1', '10.9.9.9', '192.168.1.7', '2001:db8::1', '::1', 'nowhere']
const NETWORKS = ['10.0.0.0/8', '10.0.0.1', '192.168.1.0/24', '2001:db8::/32', '0.0.0.0/0', '::/0']
const ARNS = [user('ann'), role, session, `arn:aws:s3:::${BUCKET}/a`, 'arn:aws:iam::1:user/x:y', 'no arn']
const ARN_PATTERNS = [...ARNS, `arn:aws:iam::${ACCOUNT}:*`, 'arn:aws:*:*:*:user/*', 'arn:*', `arn:aws:iam::*:role/a?p`]
const BOOLS = ['true', 'false', 'True', 'FALSE']

/** The keys of requests, and what they may be. */
const GIVEN: { [key: string]: readonly string[] } = {
  'aws:username': ['ann', 'ben', 'a*'],
  'aws:userid': ['id-ann', 'id-ben'],
  'aws:principaltag/team': ['home/', 'deep', ''],
  's3:prefix': TEXTS,
  's3:max-keys': NUMBERS,
  'aws:currenttime': DATES,
  'aws:sourceip': ADDRESSES,
  'aws:principalarn': ARNS,
  'aws:securetransport': BOOLS,
  's3:requestobjecttagkeys': TEXTS,
}
const keyName = fc.constantFrom(
  'aws:username',
  'AWS:UserId',
  'aws:PrincipalTag/team',
  's3:prefix',
  's3:max-keys',
  'aws:CurrentTime',
  'aws:SourceIp',
  'aws:PrincipalArn',
  'aws:SecureTransport',
  's3:RequestObjectTagKeys',
)

const wantedBy = (operator: string): readonly string[] => {
  if (operator === 'Null') return ['true', 'false']
  if (operator.startsWith('Numeric')) return NUMBERS.slice(0, -1)
  if (operator.startsWith('Date')) return DATES.slice(0, -1)
  if (operator === 'Bool') return BOOLS
  if (operator.startsWith('Binary')) return ['', 'YQ==', 'AAAA']
  if (operator.includes('IpAddress')) return NETWORKS
  if (operator.startsWith('Arn')) return ARN_PATTERNS
  const v = (name: string) => `\${${name}}`
  return [
    ...TEXTS,
    v('aws:username'),
    v("aws:username, 'ann'"),
    `home/${v('aws:userid')}*`,
    v('*'),
    v('$'),
    `*${v('?')}`,
  ]
}
const condition = fc
  .tuple(
    fc.constantFrom(...operatorNames, 'Null'),
    fc.constantFrom('', '', '', 'ForAllValues:', 'ForAnyValue:'),
    fc.boolean(),
    keyName,
  )
  .chain(([operator, set, ifExists, key]) => {
    const name = operator === 'Null' ? operator : `${set}${operator}${ifExists ? 'IfExists' : ''}`
    const values = some(fc.constantFrom(...wantedBy(operator)))
    return values.map((wanted): { [name: string]: { [key: string]: unknown } } => ({ [name]: { [key]: wanted } }))
  })
const conditionElement = fc
  .array(condition, { minLength: 0, maxLength: 3 })
  .map((all) => (all.length === 0 ? undefined : Object.assign({}, ...all)))

const either = (name: string, element: fc.Arbitrary<unknown>) =>
  fc.tuple(fc.constantFrom(name, name, name, `Not${name}`), element).map(([as, value]) => ({ [as]: value }))

const statement = (ofBucket: boolean) =>
  fc
    .tuple(
      fc.constantFrom('Allow', 'Deny'),
      ofBucket ? either('Principal', principalElement) : fc.constant({}),
      either('Action', actionElement),
      either('Resource', resourceElement),
      conditionElement,
    )
    .map(([Effect, principal, action, resource, Condition]) => ({
      // Allow with NotPrincipal is refused.
      Effect: 'NotPrincipal' in principal ? 'Deny' : Effect,
      ...principal,
      ...action,
      ...resource,
      ...(Condition === undefined ? {} : { Condition }),
    }))

/** A policy of the bucket `photos`, or of an identity. */
export const policy = (ofBucket: boolean) =>
  fc.record({
    Version: fc.constantFrom('2012-10-17', '2012-10-17', '2008-10-17'),
    Statement: fc.array(statement(ofBucket), { minLength: 1, maxLength: 4 }),
  })

export const request = fc.record({
  principal: fc.constantFrom(...principals),
  action: fc.constantFrom(...ACTIONS, ...[...knownActions.keys()].slice(0, 3)),
  resource: fc.constantFrom(`arn:aws:s3:::${BUCKET}`, ...KEYS.map((key) => `arn:aws:s3:::${BUCKET}/${key}`)),
  context: fc.record(
    Object.fromEntries(
      Object.entries(GIVEN).map(([key, values]) => [
        key,
        key === 's3:requestobjecttagkeys'
          ? fc.array(fc.constantFrom(...values), { maxLength: 3 })
          : fc.constantFrom(...values).map((one) => [one]),
      ]),
    ),
    { requiredKeys: [] },
  ),
}) as fc.Arbitrary<ReferenceRequest>
