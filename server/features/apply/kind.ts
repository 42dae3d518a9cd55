import type { Configuration, ConfigurationKind, ListedKind } from '../../../contract/configuration.ts'
import { type Fault, ServiceError } from '../../../contract/errors.ts'
import { type BucketAction, bucketActions } from '../../../contract/permissions.ts'
import type { Ctx } from '../../context.ts'

/** An entry of a configuration: the fields that it names. */
export type EntryOf<K extends ListedKind> = NonNullable<Configuration[K]>[number]
export interface AnyEntry {
  [field: string]: unknown
}

/** Something that is there. */
export interface Existing<E> {
  name: string
  /** What a configuration would say of it, in normal form; without secrets. */
  fields: Partial<E>
  /** Those of which people would write another form than the normal one. */
  written?: Partial<E>
  /** Why it cannot be changed by a configuration; what to do instead. */
  fixed?: string
  /** Whether a secret of it is this one. */
  hasSecret?(field: keyof E & string, value: string | null): boolean
  /** What is wrong with an entry because of what is there; paths are relative to `body`. */
  check?(entry: E): Promise<Fault[]>
  /** What follows if these fields change, a sentence each. */
  effects?(change: Partial<E>): string[] | Promise<string[]>
  /** Makes these fields be so. */
  update(change: Partial<E>): Promise<unknown>
  /** What its deletion does, or why it stays; undefined: nothing is said of it. */
  removal?(): Promise<Removal | undefined>
}
export type Removal = { effects: string[]; remove(): Promise<unknown> } | { kept: string }

/** What a configuration may refer to: what is there, and what the configuration lists. */
export interface References {
  /** Whether there is one of this name, or will be. */
  has(kind: ListedKind, name: string): Promise<boolean>
}

/** Entries of one kind: how they are found, compared, created. */
export interface Kind<E> {
  kind: ConfigurationKind
  /** The field that names an entry. */
  named: keyof E & string
  /** The form in which two names count as the same. */
  sameName(name: string): string
  /** Fields that cannot change, and what to do instead. */
  fixed: { readonly [F in keyof E & string]?: string }
  /** Fields that count only when an entry is created. */
  onlyNew?: readonly (keyof E & string)[]
  /** What a new one has unless its entry says otherwise, so that an export need not. */
  defaults: Partial<E>
  /** An entry in normal form. */
  normal(entry: E): E
  /** What is wrong with an entry besides its shape; paths are relative to `body`. `before`: what is there. */
  check(ctx: Ctx, entry: E, more: { before: Existing<E> | undefined; references: References }): Promise<Fault[]>
  find(ctx: Ctx, name: string): Promise<Existing<E> | undefined>
  list(ctx: Ctx): AsyncIterable<Existing<E>>
  /** Creates an entry. An `invitation` of what it resolves to is shown. */
  create(ctx: Ctx, entry: E): Promise<unknown>
  /** What follows if an entry is created, a sentence each. */
  effects?(ctx: Ctx, entry: E): string[] | Promise<string[]>
}

/** What a check that throws invalid_request finds wrong. */
export async function faultsOf(check: () => unknown): Promise<Fault[]> {
  try {
    await check()
    return []
  } catch (error) {
    if (error instanceof ServiceError && error.faults.length > 0) return [...error.faults]
    throw error
  }
}

/** The fault of a field that something new needs. */
export const required = (entry: object, ...fields: string[]): Fault[] =>
  fields.flatMap((field) =>
    (entry as AnyEntry)[field] === undefined ? [{ path: `body.${field}`, message: 'is required for a new one' }] : [],
  )

/** The fault of a name that nothing has. */
export const unknownName = (path: string, what: string, name: string): Fault => ({
  path: `body.${path}`,
  message: `names a ${what} that does not exist: "${name}"`,
})

/** A list in which order does not count, in the order of its items' JSON. */
export const sorted = <T>(list: readonly T[]): T[] =>
  [...list].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))

/** Actions in the order in which all lists have them. */
export const inOrder = (actions: readonly BucketAction[]): BucketAction[] =>
  bucketActions.filter((action) => actions.includes(action))
