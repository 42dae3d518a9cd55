// The registered keys of key services, for those who manage them.
import * as store from '../store.ts'

export type { KmsKeyRow } from '../store.ts'
export const { findKmsKey, listKmsKeys, isKmsKeyUsed } = store

/** Step: the row of a key; nobody can change it until the transaction ends. */
export const lockKmsKey = store.lockKmsKey
/** Step: registers a key; undefined if the name is taken. */
export const insertKmsKey = store.insertKmsKey
/** Step: changes how a key is reached. */
export const changeKmsKey = store.changeKmsKey
/** Step: forgets a key. */
export const deleteKmsKey = store.deleteKmsKey
