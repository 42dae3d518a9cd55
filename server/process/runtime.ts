import v8 from 'node:v8'

// Settings of the runtime, imported before anything else.

// File reads, syncs, password hashes and image renders share libuv's thread pool, and as many renders as threads would
// block everything else. The number is read when the first thread is needed; a larger one is kept.
if (!(Number(process.env.UV_THREADPOOL_SIZE) >= 16)) process.env.UV_THREADPOOL_SIZE = '16'

// V8 lets garbage grow to several times of what is in use before it collects: under load, 140 MB for 45 MB. Half as much
// again costs no measurable time.
v8.setFlagsFromString('--heap-growing-percent=50')
