import type { Foreign } from './foreign.ts'

const AT_ONCE = 16

/** The keys from one number to before another. */
export const numbered = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => `k/${String(from + i).padStart(4, '0')}`)

/** Writes objects of others, several at a time. */
export async function put(foreign: Foreign, keys: readonly string[], body: (key: string) => string): Promise<void> {
  const left = [...keys]
  const worker = async () => {
    for (let key = left.pop(); key !== undefined; key = left.pop()) await foreign.put(key, body(key))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}
