import { text } from './messages.ts'
import { notify } from './notify.tsx'

/** What was saved, what was there before, and how it is read and written; both in the form that reading gives. */
interface Saved<T> {
  saved: T
  before: T
  read: () => Promise<T>
  write: (before: T) => Promise<unknown>
}

/** Puts back what was there before something was saved, unless somebody has changed it since. */
export const undoSave =
  <T>({ saved, before, read, write }: Saved<T>) =>
  async (): Promise<void> => {
    try {
      if (JSON.stringify(await read()) !== JSON.stringify(saved))
        return notify.failure(text.notUndone, text.changedSince)
      await write(before)
      notify.note(text.undone)
    } catch (error) {
      notify.problem(error)
    }
  }
