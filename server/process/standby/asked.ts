import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { Refusal } from '../../base/refusal.ts'
import { standbyFiles } from '../../db/standby-state.ts'
import { readJson, writeJson } from '../../db/state-file.ts'

/** How often it is looked for an answer, in milliseconds. */
const LOOK_MS = 200

/** What a command asks of the process that follows, and what that answers, in one file. */
interface Asked {
  id: string
  answer?: { text: string } | { refused: string }
}

/** What was asked and not answered yet; undefined if nothing was. */
export function askedFor(database: string): { answer(said: NonNullable<Asked['answer']>): void } | undefined {
  const file = standbyFiles(database).asked
  const asked = readJson<Asked>(file)
  if (!asked || asked.answer) return undefined
  return { answer: (answer) => writeJson(file, { id: asked.id, answer }) }
}

/**
 * Asks the process that follows to promote itself, and resolves with what it says; undefined if it has ended without an answer
 * (`isRunning`). Throws a Refusal if it refuses.
 */
export async function askToPromote(database: string, isRunning: () => boolean): Promise<string | undefined> {
  const file = standbyFiles(database).asked
  const id = randomUUID()
  writeJson(file, { id } satisfies Asked)
  try {
    for (;;) {
      await pause(LOOK_MS)
      const asked = readJson<Asked>(file)
      if (asked?.id !== id) throw new Refusal('Another command asks for the same. Try again.')
      if (asked.answer) {
        if ('refused' in asked.answer) throw new Refusal(asked.answer.refused)
        return asked.answer.text
      }
      if (!isRunning()) return undefined
    }
  } finally {
    fs.rmSync(file, { force: true })
  }
}
