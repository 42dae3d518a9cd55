import type { simulationReasons } from '../../../../contract/access-policies.ts'
import {
  type deedKinds,
  deedWords,
  type placeKinds,
  type relations,
  type warningCodes,
  type whoKinds,
} from '../../../../contract/policy-sentences.ts'
import { catalogue, plural } from '../../i18n.ts'

type Who = (typeof whoKinds)[number]
type Deed = (typeof deedKinds)[number]
type Place = (typeof placeKinds)[number]
type Relation = (typeof relations)[number]
export type WarningCode = (typeof warningCodes)[number]
export type Reason = (typeof simulationReasons)[number]

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

export const text = catalogue('accessPolicies.text', {
  title: 'Policy',
  hint: 'Allows and denies besides the permissions of groups, in the policy language of AWS. It takes effect on the next request, at every endpoint.',
  edit: 'Policy of this bucket',
  document: 'Document',
  documentHint: 'JSON. What is unknown in it is refused.',
  says: 'What it says',
  nothingYet: 'Write a policy to see here what it allows and denies.',
  fault: (line: number, column: number) => `Line ${line}, column ${column}`,
  goThere: 'Go there',
  warnings: 'Before you save',
  save: 'Save policy',
  saved: 'Policy saved',
  openTitle: 'Open this bucket to anyone?',
  openText: 'Anyone who can reach the S3 endpoint can do this, without signing in:',
  openDo: 'Save and open',
  delete: 'Delete policy',
  deleteTitle: (bucket: string) => `Delete the policy of ${bucket}?`,
  deleteText: 'What it allows is no longer allowed, and what it denies no longer denied.',
  deleted: 'Policy deleted',
  template: 'Start from',
  templateRead: 'Anyone can read',
  templateDeny: 'Only from one network',
  templateUser: 'One user can read',
  allows: 'Allows',
  denies: 'Denies',
  statement: (sid: string) => `Statement ${sid}`,

  simulate: 'Simulate',
  simulateHint: 'How a request would be decided at the S3 endpoint, and by what. Nothing is done.',
  who: 'Who',
  kinds: (kind: 'user' | 'group' | 'role' | 'anonymous') =>
    ({ user: 'User', group: 'Members of a group', role: 'Session of a role', anonymous: 'Anyone, without signing in' })[
      kind
    ],
  user: 'User',
  group: 'Group',
  role: 'Role',
  action: 'Action',
  bucket: 'Bucket',
  key: 'Key',
  conditions: 'What the request says',
  conditionsHint: 'One per line, such as aws:SourceIp = 192.0.2.7. Several values are separated by commas.',
  allowed: 'Allowed',
  denied: 'Denied',
  unknown: 'Choose who and a bucket to see the answer.',
  byStatement: (name: string, of: 'bucket' | 'caller' | 'session') =>
    ({
      bucket: `Statement ${name} of the bucket’s policy decides.`,
      caller: `Statement ${name} of a policy of theirs decides.`,
      session: `Statement ${name} of the session’s policy decides.`,
    })[of],
  reason: (reason: Exclude<Reason, 'statement'>) =>
    ({
      policy: 'A policy of theirs decides.',
      grant: 'A permission of this group allows it:',
      administrator: 'They have full access through this group:',
      user_disabled: 'The user is disabled.',
      outside_session: 'The policy of the session doesn’t allow it.',
      action_unknown: 'There is no such operation here.',
      nothing: 'Nothing allows it: no permission of a group, and no policy.',
    })[reason],
})

/** The parts of which sentences about policies are composed. */
export const said = catalogue('accessPolicies.said', {
  who: (kind: Who, name: string) =>
    ({
      anyone: 'anyone',
      account: 'everyone with a credential',
      other_account: `account ${name}, which isn’t here`,
      user: name,
      role: `role ${name}`,
      session: `session ${name}`,
      provider: `users of ${name}`,
      service: 'a service of AWS, which is no one here',
      gone: 'a user who isn’t here',
    })[kind],
  deed: (kind: Deed) => deedWords[kind],
  uses: (names: string) => `use ${names}`,
  more: (n: number) => plural(n, { one: 'more action', other: 'more actions' }),
  idle: 'do nothing that exists here',
  allBut: (what: string) => `do everything but ${what}`,
  place: (kind: Place, name: string) =>
    ({
      everywhere: 'everywhere',
      whole: `in all of ${name}`,
      bucket: `on bucket ${name} itself`,
      objects: `on all objects of ${name}`,
      below: `on objects that start with ${name}`,
      object: `on the object ${name}`,
      pattern: `on what matches ${name}`,
    })[kind],
  placesBut: (places: string) => `everywhere but ${places}`,
  subject: (key: 'address' | 'https' | 'time' | 'user' | 'folder') =>
    ({
      address: 'the client’s address',
      https: 'the use of https',
      time: 'the time',
      user: 'the user’s name',
      folder: 'the folder that is listed',
    })[key],
  oneOf: (subject: string) => `one of ${subject}`,
  eachOf: (subject: string) => `each of ${subject}`,
  condition: (relation: Relation, subject: string, values: string) =>
    ({
      is: `${subject} is ${values}`,
      is_not: `${subject} is not ${values}`,
      is_ignoring_case: `${subject} is ${values} in any case`,
      is_not_ignoring_case: `${subject} is not ${values} in any case`,
      like: `${subject} matches ${values}`,
      not_like: `${subject} doesn’t match ${values}`,
      equals: `${subject} equals ${values}`,
      not_equals: `${subject} doesn’t equal ${values}`,
      less: `${subject} is before or below ${values}`,
      at_most: `${subject} is at most ${values}`,
      more: `${subject} is after or above ${values}`,
      at_least: `${subject} is at least ${values}`,
      in_network: `${subject} is in ${values}`,
      not_in_network: `${subject} is not in ${values}`,
      bytes: `${subject} has the bytes ${values}`,
      absent: `${subject} is absent`,
      present: `${subject} is present`,
    })[relation],
  orAbsent: (condition: string) => `${condition} or is absent`,
  rest: (what: string, where: string, when: string) =>
    `${what}${where === '' ? '' : `, ${where}`}${when === '' ? '' : `, if ${when}`}`,
  // Names are written as they are, also where a sentence starts with them.
  allow: (who: string, rest: string, isName: boolean) => `${isName ? who : capital(who)} can ${rest}.`,
  deny: (who: string, rest: string, isName: boolean) => `${isName ? who : capital(who)} can never ${rest}.`,
  denyAll: (rest: string) => `No one can ${rest}.`,
  denyBut: (who: string, rest: string) => `No one but ${who} can ${rest}.`,
  theyCan: (rest: string) => `Can ${rest}.`,
  theyCannot: (rest: string) => `Can never ${rest}.`,
  warning: (code: WarningCode, who: string, what: string, names: string) =>
    ({
      opens_to_anyone: `Anyone on the network can ${what}, without signing in.`,
      opens_to: `It lets ${who} ${what}.`,
      lets_change_policy: `It lets ${who} change this policy.`,
      locks_out: 'Only administrators could change or delete this policy afterwards.',
      account_allows_nobody: 'To name the account allows no one anything by itself.',
      no_effect: `Has no effect on these resources: ${names}`,
      never_holds: `No request here has ${names}: this statement never applies.`,
      always_holds: `No request here has ${names}: the condition holds for every request.`,
    })[code],
})

export const machines = catalogue('accessPolicies.machines', {
  title: 'Sessions of machines',
  hint: 'Temporary credentials that are valid now. Ending one takes effect on the next request.',
  who: 'Session',
  role: 'Role',
  own: 'Permissions of its user',
  opened: 'Opened',
  expires: 'Expires',
  address: 'Address',
  emptyTitle: 'No sessions',
  emptyHint: 'Programs get temporary credentials with AssumeRole, AssumeRoleWithWebIdentity or GetSessionToken.',
  end: 'End this session',
  endAll: 'End sessions…',
  endAllTitle: 'End all sessions?',
  endText:
    'Programs that use these credentials are refused from the next request on, and so are sessions opened with them.',
  until: 'Opened until',
  untilHint: 'Leave empty for all.',
  endRole: (role: string) => `End all of role ${role}`,
  endUser: (user: string) => `End all of ${user}`,
  endProvider: (provider: string) => `End all of ${provider}`,
  ended: (n: number) => plural(n, { one: 'session ended', other: 'sessions ended' }),
  endTitle: (name: string) => `End session ${name}?`,
  actions: (name: string) => `Actions for ${name}`,
})
