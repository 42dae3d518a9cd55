/** Conditions and variables of MinIO's policies: which mean the same here, and what those become that depend on who asks. */
import { type Fields, isFields, textsOf } from './read.ts'
import { matches } from './wildcards.ts'

/** Whose policy it is, as conditions and variables can ask. */
export interface Person {
  /** Their name in MinIO. */
  name: string
  groups: readonly string[]
}
/** For whom a policy is translated: a person, everyone to whom it is attached, or requests without a credential. */
export type For = Person | 'anyone' | 'anonymous'

/** Why a policy cannot be translated as it is: for a reason, or because it depends on who asks. */
export class Obstacle extends Error {
  readonly isPersonal: boolean
  constructor(message: string, isPersonal = false) {
    super(message)
    this.isPersonal = isPersonal
  }
}

/** Keys that requests have here under the same name, with the same values. */
const SAME =
  /^(aws:(Referer|SourceIp|UserAgent|SecureTransport|CurrentTime|EpochTime)|s3:(prefix|delimiter|max-keys|versionid|signatureversion|authType|signatureAge|x-amz-[a-z0-9-]+|object-lock-[a-z-]+|RequestObjectTagKeys|(ExistingObjectTag|RequestObjectTag)\/.+))$/
/** Claims of the token of an identity provider. */
const CLAIM = /^jwt:[\w./-]+$/
/** Keys about who asks. */
const PERSONAL = /^aws:(username|userid|groups)$/i

/** Operators that read texts, by whether they negate and how they compare. */
const OF_TEXTS: { readonly [operator: string]: { negated: boolean; equals(wanted: string, given: string): boolean } } =
  {
    StringEquals: { negated: false, equals: (wanted, given) => wanted === given },
    StringNotEquals: { negated: true, equals: (wanted, given) => wanted === given },
    StringEqualsIgnoreCase: { negated: false, equals: (wanted, given) => wanted.toLowerCase() === given.toLowerCase() },
    StringNotEqualsIgnoreCase: {
      negated: true,
      equals: (wanted, given) => wanted.toLowerCase() === given.toLowerCase(),
    },
    StringLike: { negated: false, equals: matches },
    StringNotLike: { negated: true, equals: matches },
  }
/** Other operators that mean the same. `NumericNotEquals` and `DateNotEquals` do not: MinIO's are false without a value. */
const OTHERS =
  /^(IpAddress|NotIpAddress|Null|Bool|BinaryEquals|NumericGreaterThanIfExists|(Numeric|Date)(Equals|LessThan|LessThanEquals|GreaterThan|GreaterThanEquals))$/

/** The conditions of a statement; undefined if they never hold. Throws Obstacle. */
export function conditionsFor(given: unknown, of: For): Fields | undefined {
  if (given === undefined || given === null) return {}
  if (!isFields(given)) throw new Obstacle('its Condition cannot be read')
  const conditions: { [operator: string]: Fields } = {}
  for (const [operator, keys] of Object.entries(given)) {
    assertSame(operator)
    if (!isFields(keys)) throw new Obstacle(`its condition ${operator} cannot be read`)
    for (const [key, values] of Object.entries(keys)) {
      if (PERSONAL.test(key)) {
        if (!holdsFor(operator, key, { wanted: textsOf(values), of })) return undefined
        continue
      }
      if (!SAME.test(key) && !CLAIM.test(key)) throw new Obstacle(`conditions here cannot ask for ${key}`)
      if (CLAIM.test(key) && of === 'anonymous') throw new Obstacle(`requests without a credential have no ${key}`)
      conditions[operator] = { ...conditions[operator], [key]: withNames(values, of) }
    }
  }
  return conditions
}

function assertSame(operator: string): void {
  const [, qualifier, name = ''] = /^(?:(ForAllValues|ForAnyValue):)?(\w+)$/.exec(operator) ?? []
  const ofTexts = OF_TEXTS[name]
  const isSame = qualifier === undefined ? ofTexts !== undefined || OTHERS.test(name) : ofTexts?.negated === false
  if (!isSame) throw new Obstacle(`MinIO does not mean by ${operator} what it means here`)
}

/** Whether a condition on who asks holds for them, whatever else they ask. */
function holdsFor(operator: string, key: string, { wanted, of }: { wanted: readonly string[]; of: For }): boolean {
  if (of === 'anyone') throw new Obstacle(`it depends on ${key}`, true)
  const name = of === 'anonymous' ? '' : of.name
  const given = /groups$/i.test(key) ? (of === 'anonymous' ? [] : of.groups) : [name]
  const [, qualifier, rest = ''] = /^(?:(ForAllValues|ForAnyValue):)?(\w+)$/.exec(operator) ?? []
  const compared = OF_TEXTS[rest]
  if (!compared) throw new Obstacle(`its condition ${operator} on ${key} cannot be read`)
  const values = wanted.map((one) => String(withNames(one, of)))
  const isWanted = (one: string) => values.some((value) => compared.equals(value, one))
  const holds = qualifier === 'ForAllValues' ? given.every(isWanted) : given.some(isWanted)
  return holds !== compared.negated
}

const VARIABLE = /\$\{([^}]*)\}?/g
/** Variables that stand for characters, and those that requests have here too. */
const SAME_VARIABLE = /^([*?$]|aws:(SourceIp|UserAgent|Referer|SecureTransport|CurrentTime|EpochTime))$/

/** A text of a policy, or several, with the name of whose it is for variables. Throws Obstacle. */
export function withNames(value: unknown, of: For): unknown {
  if (Array.isArray(value)) return value.map((one) => withNames(one, of))
  if (typeof value !== 'string') return value
  return value.replaceAll(VARIABLE, (text, name: string) => {
    if (/^aws:(username|userid)$/i.test(name)) return nameFor(of, text)
    if (SAME_VARIABLE.test(name) && text.endsWith('}')) return text
    if (CLAIM.test(name) && of !== 'anonymous') return text
    throw new Obstacle(`there is no variable ${text} here`)
  })
}

function nameFor(of: For, text: string): string {
  if (of === 'anyone') throw new Obstacle(`it depends on ${text}`, true)
  if (of === 'anonymous') throw new Obstacle(`requests without a credential have no ${text}`)
  if (/[*?$]/.test(of.name)) throw new Obstacle(`${text} would be ${of.name}, which has a meaning in policies`)
  return of.name
}
