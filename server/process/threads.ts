/**
 * Imported first: file reads, syncs, password hashes and image renders share libuv's thread pool, and as many renders
 * as threads would block everything else. The number is read when the first thread is needed; a larger one is kept.
 */
if (!(Number(process.env.UV_THREADPOOL_SIZE) >= 16)) process.env.UV_THREADPOOL_SIZE = '16'
