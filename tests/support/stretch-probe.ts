// Loaded into a service before it starts (`--import`): answers how long its main thread was busy without a turn.
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
  // Timers come once in each turn of the loop, so what was spent between two of them kept all others waiting.
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
