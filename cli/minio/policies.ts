import type { BucketAction } from '../../contract/names.ts'
import { isFree, KNOWN_ACTIONS, NEEDS, type Translated, translated } from './actions.ts'
import { type Covered, common, coveredBy, isWithin, type Place, reaches } from './places.ts'
import { isAllowing, isDenying, resolved, type Statement } from './statements.ts'

/** What a policy lets its users do, as far as grants can say it. */
export interface Translation {
  grants: Grant[]
  /** What MinIO allows and the grants do not, a sentence each. */
  losses: string[]
}
export interface Grant extends Place {
  actions: BucketAction[]
}
export interface Circumstances {
  /** The statements of all policies of the same user that deny something. */
  denials: readonly Statement[]
  /** Whose policy it is, for variables. */
  user: string | undefined
  /** Whether lesser actions may be missing. */
  withDetails: boolean
  /** Whether it is a key's own policy, which limits that of its owner. */
  ofKey: boolean
}

/** Places are compared with each other. */
const MOST_PLACES = 200

/** An allowing statement with what each of its resources covers. */
interface Allowance {
  statement: Statement
  covered: Covered[]
}

/** Translates what statements allow into grants that allow no more, minus all that may be denied. */
export function translate(statements: readonly Statement[], circumstances: Circumstances): Translation {
  const losses = new Set<string>()
  const allowances = statements.filter(({ allows }) => allows).map((one) => allowanceOf(one, circumstances, losses))
  const places = placesOf(allowances.flatMap(({ covered }) => covered))
  const found = places.map((place) => ({
    place,
    actions: translated.filter((action) => isGranted(allowances, circumstances, { place, action })),
  }))
  const grants = found
    .map(({ place, actions }) => ({
      bucket: place.bucket,
      prefix: place.prefix,
      actions: actions.filter(
        (action) =>
          !found.some(
            (other) => other.place !== place && other.actions.includes(action) && isWithin(place, other.place),
          ),
      ),
    }))
    .filter(({ actions }) => actions.length > 0)
  for (const loss of lossesOf(allowances, grants, circumstances)) losses.add(loss)
  return { grants, losses: [...losses] }
}

function allowanceOf(statement: Statement, { user }: Circumstances, losses: Set<string>): Allowance {
  const { obstacle, resources, actions } = statement
  if (obstacle !== undefined) {
    losses.add(`A statement about ${shortList(actions)} has ${obstacle}.`)
    return { statement, covered: [] }
  }
  const covered = resources.flatMap((one) => {
    const resource = resolved(one, user)
    const place = resource === undefined ? 'it depends on who asks' : coveredBy(resource)
    if (typeof place !== 'string') return [place]
    losses.add(`${one}: ${place}.`)
    return []
  })
  return { statement, covered }
}

/** The places that statements name, and what any two of them have in common: the widest first, each once. */
function placesOf(covered: readonly Place[]): Place[] {
  const all = new Map<string, Place>()
  const add = ({ bucket, prefix }: Place) => all.set(`${bucket}/${prefix}`, { bucket, prefix })
  for (const one of covered) if (all.size < MOST_PLACES) add(one)
  for (const one of [...all.values()])
    for (const other of [...all.values()]) {
      const both = common(one, other)
      if (both && all.size < MOST_PLACES) add(both)
    }
  return [...all.values()]
}

function isGranted(
  allowances: readonly Allowance[],
  { denials, user, withDetails, ofKey }: Circumstances,
  { place, action }: { place: Place; action: Translated },
): boolean {
  const { objects, bucket, service = [], lesser = [], inScope = [] } = NEEDS[action]
  const { undenied = [], undeniedOfBucket = [] } = NEEDS[action]
  const needed = withDetails ? objects : [...objects, ...lesser]
  const ofObjects = ofKey ? [...needed, ...inScope] : needed
  // What is about a whole bucket is not granted on a part of it.
  if (bucket.length > 0 && place.prefix !== '') return false
  const isCovered = (one: string, level: 'buckets' | 'objects') =>
    allowances.some(
      ({ statement, covered }) =>
        isAllowing(statement, one) &&
        covered.some((there) =>
          level === 'objects'
            ? there.objects && isWithin(place, there)
            : there.buckets && isWithin({ ...place, prefix: '' }, there),
        ),
    )
  const isServed = (one: string) =>
    allowances.some(
      ({ statement: { obstacle, everywhere, resources }, statement }) =>
        obstacle === undefined &&
        isAllowing(statement, one) &&
        (resources.includes('*') || (everywhere && resources.length === 0)),
    )
  const isDenied = (one: string, level: 'bucket' | 'object') =>
    denials.some((denial) => isDenying(denial, one) && reaches(denial, user, place, level))
  return (
    ofObjects.every((one) => isCovered(one, 'objects')) &&
    bucket.every((one) => isCovered(one, 'buckets')) &&
    service.every((one) => isServed(one) && !denials.some((denial) => isDenying(denial, one))) &&
    ![...objects, ...lesser, ...undenied].some((one) => isDenied(one, 'object')) &&
    ![...bucket, ...undeniedOfBucket].some((one) => isDenied(one, 'bucket'))
  )
}

/** What the statements allow and the grants do not. */
function* lossesOf(
  allowances: readonly Allowance[],
  grants: readonly Grant[],
  { denials }: Circumstances,
): Generator<string> {
  for (const { statement, covered } of allowances) {
    if (statement.obstacle !== undefined) continue
    const foreign = statement.actions.filter((one) => !one.startsWith('s3:') && one !== '*')
    if (foreign.length > 0) yield `${shortList(foreign)} has no counterpart here.`
    const lost = [...KNOWN_ACTIONS].filter(
      ([name, { ofBucket, carriers }]) =>
        isAllowing(statement, name) &&
        covered.some(
          (place) =>
            (ofBucket ? place.buckets : place.objects) &&
            !carriers.some((action) => grants.some((grant) => isGrantedOn(grant, action, place))),
        ),
    )
    const unknown = statement.actions.filter(
      (one) =>
        one.startsWith('s3:') && !isFree(one) && ![...KNOWN_ACTIONS.keys()].some((name) => isAllowing(statement, name)),
    )
    const names = [...lost.map(([name]) => name), ...unknown]
    if (names.length > 0) yield `Not granted on ${placesText(covered)}: ${shortList(names)}.`
  }
  if (denials.length > 0 && allowances.length > 0) yield 'What a Deny may be about is left out entirely.'
}

const isGrantedOn = (grant: Grant, action: Translated, place: Covered): boolean =>
  grant.actions.includes(action) && isWithin(place, grant)

const placesText = (covered: readonly Covered[]): string =>
  shortList(
    covered.map(({ bucket, prefix, objects }) => (objects ? `${bucket}/${prefix}*`.replace(/^\*\/\*$/, '*') : bucket)),
    3,
  )

/** The first of some names, and how many more there are. */
export function shortList(names: readonly string[], most = 6): string {
  const shown = names.slice(0, most).join(', ')
  return names.length > most ? `${shown} and ${names.length - most} more` : shown
}
