import async_hooks, { type AsyncHook, type HookCallbacks } from 'node:async_hooks'

/**
 * Loaded before all else by each process of a test run. The runner follows every promise, so that an error that nobody
 * catches fails the test that made the promise; with that, a million awaits take 0.8 s instead of 0.03 s, and a run an eighth
 * longer. Without it such an error fails the file. What is not a promise it still follows: a suite's tests are found by that.
 */
const { createHook } = async_hooks
async_hooks.createHook = (callbacks: HookCallbacks): AsyncHook =>
  createHook(
    new Error().stack?.includes('node:internal/test_runner') ? { ...callbacks, trackPromises: false } : callbacks,
  )
