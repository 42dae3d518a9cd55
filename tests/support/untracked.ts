import async_hooks, { type AsyncHook, type HookCallbacks } from 'node:async_hooks'

/**
 * Loaded before all else by each process of a test run. The runner follows every promise, so that an error that nobody
 * catches fails the test that made the promise; with that, a million awaits take 0.8 s instead of 0.03 s, and a run an eighth
 * longer. Without it such an error fails the file.
 */
const { createHook } = async_hooks
const untracked: AsyncHook = { enable: () => untracked, disable: () => untracked }
async_hooks.createHook = (callbacks: HookCallbacks): AsyncHook =>
  new Error().stack?.includes('node:internal/test_runner') ? untracked : createHook(callbacks)
