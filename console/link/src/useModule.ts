import { useEffect, useState } from 'preact/hooks'

/** A part of the page that is loaded once it is wanted; undefined until then. */
export function useModule<T>(wanted: boolean, load: () => Promise<T>): T | undefined {
  const [found, setFound] = useState<{ module: T }>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: `load` is the same import each time
  useEffect(() => {
    if (wanted && !found)
      load().then(
        (module) => setFound({ module }),
        // A new release has replaced the files of this one.
        () => location.reload(),
      )
  }, [wanted, found])
  return found?.module
}
