// Statements on what is current, for steps elsewhere.
import * as store from './store.ts'

/** Step: locks the objects of these keys, which are locked too. */
export const lockCurrent: (...named: Parameters<typeof store.lockObjects>) => Promise<store.ObjectRow[]> =
  store.lockObjects

/** Step: takes objects away; what becomes of their contents is for the caller to say. */
export const deleteObjectRows = store.deleteObjects

/** Step: makes rows the objects of their keys, also of some that are taken; returns those of which it could. */
export const placeObjectRows = store.placeObjects

/** Step: sets an object's lock. */
export const lockAsCurrent = store.setLock

/** Step: sets an object's tags; null are none. */
export const tagCurrent = store.setTags

/** Step: sets the tags of several objects alike. */
export const tagAllCurrent = store.setTagsOf

/** Step: sets an object's ACL. */
export const setAclAsCurrent = store.setAcl
