// A slow and obvious reading of AWS' documentation, to compare the evaluator with: it works on the JSON itself and shares no
// code with it. Each function names its page of https://docs.aws.amazon.com/IAM/latest/UserGuide/.
import net from 'node:net'

/** Who asks. */
export interface ReferencePrincipal {
  kind: 'anonymous' | 'user' | 'role'
  user: string | null
  arn: string | null
  role?: string
  federated?: string
  canonical: string | null
}
export interface ReferenceRequest {
  principal: ReferencePrincipal
  action: string
  resource: string
  /** By the name of a key: in lower case, but for what follows a slash. */
  context: { readonly [key: string]: readonly string[] }
}

type Json = { readonly [name: string]: unknown }
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value])
const OWN_ACCOUNT = '000000000000'

/** reference_policies_evaluation-logic.html: an explicit deny, else an allow, else nothing. */
export function decideByReference(
  documents: readonly Json[],
  request: ReferenceRequest,
  users: { readonly [arn: string]: string },
): 'deny' | 'allow' | 'none' {
  let allowed = false
  for (const document of documents)
    for (const statement of list(document.Statement) as Json[]) {
      if (!statementApplies(statement, request, { users, variables: document.Version === '2012-10-17' })) continue
      if (statement.Effect === 'Deny') return 'deny'
      allowed = true
    }
  return allowed ? 'allow' : 'none'
}

interface Surroundings {
  users: { readonly [arn: string]: string }
  variables: boolean
}

function statementApplies(statement: Json, request: ReferenceRequest, around: Surroundings): boolean {
  const { principal } = request
  if ('Principal' in statement) {
    const named = (statement.Principal === '*' ? [['AWS', '*']] : pairs(statement.Principal)).some(
      ([type = '', text = '']) => principalIs(type, text, principal, around, statement.Effect === 'Deny'),
    )
    if (!named) return false
  }
  if ('NotPrincipal' in statement) {
    const named = (statement.NotPrincipal === '*' ? [['AWS', '*']] : pairs(statement.NotPrincipal)).some(
      // "You must also specify the account": naming it excepts none of its users.
      ([type = '', text = '']) => principalIs(type, text, principal, around, false),
    )
    if (named) return false
  }
  const isAction = (text: unknown) => like(String(text).toLowerCase(), request.action.toLowerCase())
  if ('Action' in statement && !list(statement.Action).some(isAction)) return false
  if ('NotAction' in statement && list(statement.NotAction).some(isAction)) return false
  const isResource = (text: unknown) => matchesText(String(text), request.resource, request, around.variables)
  if ('Resource' in statement && !list(statement.Resource).some(isResource)) return false
  if ('NotResource' in statement && list(statement.NotResource).some(isResource)) return false
  for (const [operator, keys] of Object.entries((statement.Condition ?? {}) as Json))
    for (const [name, values] of Object.entries(keys as Json))
      if (!conditionHolds(operator, name, list(values).map(String), request, around.variables)) return false
  return true
}

const pairs = (element: unknown): [string, string][] =>
  Object.entries(element as Json).flatMap(([type, texts]) =>
    list(texts).map((text): [string, string] => [type, String(text)]),
  )

/** reference_policies_elements_principal.html */
function principalIs(
  type: string,
  text: string,
  principal: ReferencePrincipal,
  { users }: Surroundings,
  countsAccount: boolean,
): boolean {
  if (type === 'CanonicalUser') return principal.kind === 'user' && principal.canonical === text
  if (type === 'Federated')
    return (
      principal.federated !== undefined &&
      (principal.federated === text || principal.federated.split(':oidc-provider/')[1] === text)
    )
  if (type !== 'AWS') return false
  if (text === '*') return true
  if (/^\d{12}$/.test(text)) return countsAccount && text === OWN_ACCOUNT && principal.kind !== 'anonymous'
  if (text.endsWith(':root')) {
    const account = text.split(':')[4]
    return countsAccount && (account === OWN_ACCOUNT || account === '') && principal.kind !== 'anonymous'
  }
  if (text.includes(':user/'))
    return principal.kind === 'user' && users[text] !== undefined && users[text] === principal.user
  const [head, rest] = [text.split(':').slice(0, 4).join(':'), text.split(':').slice(5).join(':')]
  const full = text.split(':')[4] === '' ? `${head}:${OWN_ACCOUNT}:${rest}` : text
  return full === principal.arn || full === principal.role
}

/** A character as an expression that means only it. */
const literally = (one: string): string => (/[\\^$.|?*+()[\]{}/]/u.test(one) ? `\\${one}` : one)

/** Wildcards: `*` any characters, `?` one. */
const like = (pattern: string, text: string): boolean =>
  new RegExp(
    `^${[...pattern].map((one) => (one === '*' ? '[^]*' : one === '?' ? '[^]' : literally(one))).join('')}$`,
    'u',
  ).test(text)

/** reference_policies_variables.html: what a text with variables matches, with wildcards or without. */
function matchesText(
  pattern: string,
  text: string,
  { context }: ReferenceRequest,
  variables: boolean,
  compare: (pattern: RegExp, plain: string) => boolean = (regular) => regular.test(text),
  wildcards = true,
): boolean {
  let source = ''
  let plain = ''
  const literal = (characters: string) => {
    for (const one of characters) source += literally(one)
    plain += characters
  }
  for (let i = 0; i < pattern.length; ) {
    const variable = variables ? /^\$\{([^}]*)\}/.exec(pattern.slice(i)) : null
    if (variable) {
      const inside = variable[1] as string
      if (inside === '*' || inside === '?' || inside === '$') literal(inside)
      else {
        const [, name = '', fallback] = /^\s*([^,\s]+)\s*(?:,\s*'([^']*)'\s*)?$/.exec(inside) ?? []
        const values = context[keyName(name)]
        const value = values?.length === 1 ? values[0] : fallback
        // "The value is effectively null. There is no equal or like value."
        if (value === undefined) return false
        literal(value)
      }
      i += variable[0].length
      continue
    }
    const one = String.fromCodePoint(pattern.codePointAt(i) as number)
    if (wildcards && one === '*') source += '[^]*'
    else if (wildcards && one === '?') source += '[^]'
    else literal(one)
    i += one.length
  }
  return compare(new RegExp(`^${source}$`, 'u'), plain)
}

const keyName = (name: string): string => {
  const slash = name.indexOf('/')
  return slash < 0 ? name.toLowerCase() : name.slice(0, slash).toLowerCase() + name.slice(slash)
}

const NEGATIONS: { [name: string]: string } = {
  stringnotequals: 'stringequals',
  stringnotequalsignorecase: 'stringequalsignorecase',
  stringnotlike: 'stringlike',
  numericnotequals: 'numericequals',
  datenotequals: 'dateequals',
  notipaddress: 'ipaddress',
  arnnotequals: 'arnequals',
  arnnotlike: 'arnlike',
}

/**
 * reference_policies_elements_condition_operators.html and reference_policies_condition-single-vs-multi-valued-context-keys.html
 */
function conditionHolds(
  written: string,
  name: string,
  wanted: string[],
  request: ReferenceRequest,
  variables: boolean,
): boolean {
  let operator = written.toLowerCase()
  const given = request.context[keyName(name)]
  // A `Null` of false is what prevents "missing context keys or context keys with empty values from evaluating to true".
  if (operator === 'null')
    return wanted.some((one) => (one.toLowerCase() === 'true') === (given === undefined || given.length === 0))
  let set = ''
  if (operator.startsWith('forallvalues:')) set = 'all'
  if (operator.startsWith('foranyvalue:')) set = 'any'
  if (set !== '') operator = operator.slice(operator.indexOf(':') + 1)
  const ifExists = operator.endsWith('ifexists')
  if (ifExists) operator = operator.slice(0, -'ifexists'.length)
  const negation = NEGATIONS[operator]
  const test = (value: string) => wanted.some((one) => compare(negation ?? operator, value, one, request, variables))

  if (given === undefined) {
    if (ifExists) return true
    // "ForAllValues returns true if there are no context keys in the request", ForAnyValue false.
    if (set === 'all') return true
    if (set === 'any') return false
    return negation !== undefined
  }
  if (set === 'all') return given.every((value) => (negation === undefined ? test(value) : !test(value)))
  if (set === 'any') return given.some((value) => (negation === undefined ? test(value) : !test(value)))
  return negation === undefined ? given.some(test) : !given.some(test)
}

function compare(
  operator: string,
  value: string,
  wanted: string,
  request: ReferenceRequest,
  variables: boolean,
): boolean {
  const plain = (of: (text: string) => boolean) =>
    matchesText(wanted, '', request, variables, (_regular, text) => of(text), false)
  if (operator === 'stringequals') return plain((text) => text === value)
  if (operator === 'stringequalsignorecase') return plain((text) => text.toLowerCase() === value.toLowerCase())
  if (operator === 'stringlike') return matchesText(wanted, value, request, variables)
  if (operator === 'bool') return value.toLowerCase() === wanted.toLowerCase()
  if (operator === 'binaryequals') return value === wanted
  if (operator === 'arnequals' || operator === 'arnlike') {
    const parts = value.split(':')
    const six = [...parts.slice(0, 5), parts.slice(5).join(':')]
    const patterns = wanted.split(':')
    const wantedSix = [...patterns.slice(0, 5), patterns.slice(5).join(':')]
    if (parts.length < 6 || patterns.length < 6) return false
    return wantedSix.every((pattern, i) => like(pattern, six[i] as string))
  }
  if (operator === 'ipaddress') {
    const [network = '', bits] = wanted.split('/')
    if (net.isIP(value) !== net.isIP(network)) return false
    const ranges = new net.BlockList()
    const family = net.isIPv6(network) ? 'ipv6' : 'ipv4'
    ranges.addSubnet(network, bits === undefined ? (family === 'ipv4' ? 32 : 128) : Number(bits), family)
    return ranges.check(value, net.isIPv6(value) ? 'ipv6' : 'ipv4')
  }
  const isDate = operator.startsWith('date')
  const number = (text: string) =>
    isDate && /T/.test(text) ? Date.parse(text) / 1000 : text.trim() === '' ? Number.NaN : Number(text)
  const [a, b] = [number(value), number(wanted)]
  switch (operator.replace(/^(date|numeric)/, '')) {
    case 'equals':
      return a === b
    case 'lessthan':
      return a < b
    case 'lessthanequals':
      return a <= b
    case 'greaterthan':
      return a > b
    case 'greaterthanequals':
      return a >= b
    default:
      throw new Error(`The reference has no ${operator}`)
  }
}
