import { codeOf, describeProblem } from '../../api/problem.ts'

/** What the server found wrong with the storage itself, if it did. */
export async function refusalOf(sent: Promise<unknown>): Promise<string | undefined> {
  try {
    await sent
    return undefined
  } catch (error) {
    if (codeOf(error) !== 'conflict') throw error
    return describeProblem(error).detail
  }
}
