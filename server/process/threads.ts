/**
 * Imported first: file reads, syncs, password hashes and renders share libuv's threads, and where there are as many renders
 * as threads everyone else waits (I4). The number is read when the first thread is needed; a larger one may be given.
 */
if (!(Number(process.env.UV_THREADPOOL_SIZE) >= 16)) process.env.UV_THREADPOOL_SIZE = '16'
