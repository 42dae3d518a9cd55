/**
 * Imported first: file reads, syncs and password hashes share libuv's threads, and four of them starve each other. The
 * number is read when the first thread is needed.
 */
process.env.UV_THREADPOOL_SIZE ??= '16'
