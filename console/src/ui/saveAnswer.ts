import { saveFile } from './save.ts'

type Picker = (options: { suggestedName: string }) => Promise<FileSystemFileHandle>
/** Writes into a file that the user chose. Only some browsers have it, and only in secure contexts. */
const picker = (): Picker | undefined => (globalThis as { showSaveFilePicker?: Picker }).showSaveFilePicker

/** Whether what is saved is written as it arrives, and not kept in memory. */
export const savesAsItArrives = (): boolean => picker() !== undefined

const isRefusal = (error: unknown): boolean => error instanceof DOMException && error.name === 'AbortError'

/**
 * Saves what the service answers, right after a click; returns the name of the file, undefined if the user did not want one.
 * Throws what the request throws.
 */
export async function saveAnswer(name: string, ask: () => Promise<Response>): Promise<string | undefined> {
  try {
    // Browsers show the file picker only right after a click.
    const file = await picker()?.call(globalThis, { suggestedName: name })
    const answer = await ask()
    if (file && answer.body) await answer.body.pipeTo(await file.createWritable())
    else saveFile(name, await answer.blob())
    return file?.name ?? name
  } catch (error) {
    if (isRefusal(error)) return undefined
    throw error
  }
}
