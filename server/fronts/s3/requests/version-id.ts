import { ID } from '../../../../contract/names.ts'
import { namedVersion } from '../../../storage/history/retire.ts'
import { invalidArgument } from '../errors.ts'
import { type Exchange, parameter } from './exchange.ts'

const id = new RegExp(ID)
/** Whether a text has the form of the ids of versions, and of uploads in parts (RFC 9562, as `newId` makes them). */
export const isId = (text: string): boolean => id.test(text)

/** Whether a text can name a version of anything here. */
export const isVersionName = (text: string): boolean => text === 'null' || isId(text)

/**
 * The version that a text names, which need not exist: null is the `null` version, undefined none. Throws InvalidArgument
 * for what cannot name one.
 */
export function versionOf(name: string | undefined): string | null | undefined {
  if (name === undefined) return undefined
  if (name === '') throw invalidArgument('versionId', '', 'Version id cannot be the empty string')
  if (!isVersionName(name)) throw invalidArgument('versionId', name, 'Invalid version id specified')
  return namedVersion(name)
}

/** The version that a request names. */
export const versionIn = (exchange: Exchange): string | null | undefined => versionOf(parameter(exchange, 'versionId'))
