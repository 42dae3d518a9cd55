import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { Refusal } from '../../base/refusal.ts'
import { standbyFiles } from '../../db/standby-state.ts'
import { readJson, writeJson } from '../../db/state-file.ts'

/** How often a command says that it still asks, and looks for the answer, in milliseconds. */
const BEAT_MS = 200
/** After how long without that nobody asks any more. */
const GONE_MS = 3000

/** What the command was given: the place, if it was, and whether it takes over from who has taken over. */
interface Given {
  from: string | null
  supersede: boolean
}
/** What a command asks of the process that follows. */
interface Asked {
  id: string
  given: Given
  /** One more each time that it is written. */
  beat: number
}
type Answer = { text: string } | { refused: string }

/** A promotion that somebody waits for. */
export interface Request extends Given {
  /** Whether they still do: whether the request is repeated now. */
  isWanted(): Promise<boolean>
  answer(said: Answer): void
}

/**
 * Requests as the process that follows sees them. One counts while it is seen to be repeated: what a command has left behind that
 * was killed is nobody's wish any more.
 */
export class Requests {
  readonly #files: { asked: string; answered: string }
  #seen: Asked | undefined
  #beatAt = Number.NEGATIVE_INFINITY
  #answered = ''

  constructor(database: string) {
    this.#files = standbyFiles(database)
  }

  look(): Request | undefined {
    const asked = readJson<Asked>(this.#files.asked)
    const isAgain = asked && asked.id === this.#seen?.id
    if (isAgain && asked.beat !== this.#seen?.beat) this.#beatAt = performance.now()
    else if (!isAgain) this.#beatAt = Number.NEGATIVE_INFINITY
    this.#seen = asked
    if (!asked || asked.id === this.#answered || performance.now() - this.#beatAt > GONE_MS) return undefined
    return {
      ...asked.given,
      isWanted: async () => {
        const before = readJson<Asked>(this.#files.asked)
        await pause(3 * BEAT_MS)
        const after = readJson<Asked>(this.#files.asked)
        return after?.id === asked.id && before?.id === asked.id && after.beat !== before.beat
      },
      answer: (said) => {
        this.#answered = asked.id
        writeJson(this.#files.answered, { id: asked.id, ...said })
      },
    }
  }
}

/**
 * Asks the process that follows to promote itself, and resolves with what it says; undefined if it has ended without an answer
 * (`isRunning`). Throws a Refusal if it refuses.
 */
export async function askToPromote(
  database: string,
  given: Given,
  isRunning: () => boolean,
): Promise<string | undefined> {
  const files = standbyFiles(database)
  const id = randomUUID()
  const other = readJson<Asked>(files.asked)
  if (other) {
    await pause(2 * BEAT_MS)
    const later = readJson<Asked>(files.asked)
    if (later && (later.id !== other.id || later.beat !== other.beat))
      throw new Refusal('Another command asks for the same. Try again.')
  }
  try {
    for (let beat = 0; ; beat++) {
      writeJson(files.asked, { id, given, beat } satisfies Asked)
      await pause(BEAT_MS)
      const answer = readJson<Answer & { id: string }>(files.answered)
      if (answer?.id === id) {
        if ('refused' in answer) throw new Refusal(answer.refused)
        return answer.text
      }
      if (!isRunning()) return undefined
    }
  } finally {
    for (const file of [files.asked, files.answered]) fs.rmSync(file, { force: true })
  }
}
