// Loaded into a service before it starts (`--import`): reports the longest time its main thread was blocked.
import http from 'node:http'
import { isMainThread } from 'node:worker_threads'

const { STRETCHES_SOCKET } = process.env
if (isMainThread && STRETCHES_SOCKET) {
  const spent = () => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1000
  }
  let last = spent()
  let longest = 0
  const note = () => {
    const now = spent()
    longest = Math.max(longest, now - last)
    last = now
  }
  // Timers run once per turn of the loop, so the time between two of them blocked everything else.
  setInterval(note, 2).unref()
  http
    .createServer((_request, response) => {
      note()
      response.end(String(longest))
      longest = 0
    })
    .listen(STRETCHES_SOCKET)
    .unref()
}
