import { newId } from './item.ts'

const WAIT_MS = 250

/** This page's id among those of the browser. */
export const owner = newId()

type Word = { type: 'who' } | { type: 'here'; owner: string }
const channel = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel('strongroom-uploads')
const present = new Set<string>()
if (channel)
  channel.onmessage = ({ data }: MessageEvent<Word>) => {
    if (data.type === 'who') channel.postMessage({ type: 'here', owner })
    else present.add(data.owner)
  }

/** The other open pages, whose uploads are theirs. (`navigator.locks` does not exist on plain HTTP.) */
export async function othersAlive(): Promise<ReadonlySet<string>> {
  if (!channel) return new Set()
  present.clear()
  channel.postMessage({ type: 'who' })
  await new Promise((resolve) => setTimeout(resolve, WAIT_MS))
  return new Set(present)
}
