import type { NamedFiles } from '../../drivers/named-files/named-files.ts'
import type { Chain } from './changes.ts'
import { decode, encode, pulseName } from './format.ts'

/** How often it is stored, in milliseconds. */
const EVERY_MS = 5000

/** What was stored of a chain, and up to which moment that is everything. */
export interface Pulse {
  number: number
  moment: string
}

/** Says at the backup place, for a standby, how far the changes are that it should find. */
export class PulseWriter {
  #at = 0

  /** Stores the moment, unless it was stored lately. */
  async beat(place: NamedFiles, { name: chain, key, number, based }: Chain, moment: string): Promise<void> {
    const now = Date.parse(moment)
    if (!based || Math.abs(now - this.#at) < EVERY_MS) return
    const name = pulseName(chain)
    await place.put(name, await encode(key, name, { kind: 'pulse', number, moment }, []))
    this.#at = now
  }
}

/** The last one of a chain; undefined if there is none, as with a release that writes none, or none that can be read. */
export async function readPulse(place: NamedFiles, chain: string, key: Uint8Array): Promise<Pulse | undefined> {
  const name = pulseName(chain)
  const file = await place.get(name)
  return (
    file &&
    (await decode(key, name, 'pulse', file).then(
      ({ header }) => header,
      () => undefined,
    ))
  )
}
