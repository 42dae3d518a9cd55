/**
 * The check of a property that does nothing any more once so many milliseconds have passed. fast-check's own limit
 * (`interruptAfterTimeLimit`) ends the test while a run goes on, which then finds its service gone.
 */
export function runsInTime<Given extends unknown[]>(
  mostMs: number,
  check: (...given: Given) => Promise<void>,
): (...given: Given) => Promise<void> {
  const begun = performance.now()
  return async (...given) => {
    if (performance.now() - begun <= mostMs) await check(...given)
  }
}
