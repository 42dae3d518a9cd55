import { useEffect, useState } from 'preact/hooks'

/** The files and folders that a visitor picks for one zip, by their names in the link. */
export interface Choice {
  /** Clicks choose instead of opening. */
  isOn: boolean
  names: ReadonlySet<string>
  turn(on: boolean): void
  toggle(name: string): void
  replace(names: readonly string[]): void
}

/** What is chosen of the folder that is open; nothing of it is kept in another one. Escape ends it. */
export function useChoice(at: string): Choice {
  const [isOn, setOn] = useState(false)
  const [names, setNames] = useState<ReadonlySet<string>>(new Set())
  const replace = (next: readonly string[]) => setNames(new Set(next))
  const turn = (on: boolean) => {
    setOn(on)
    replace([])
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: for each folder
  useEffect(() => replace([]), [at])
  // biome-ignore lint/correctness/useExhaustiveDependencies: `turn` does the same each time
  useEffect(() => {
    if (!isOn) return
    const end = (event: KeyboardEvent) => {
      if (event.key === 'Escape') turn(false)
    }
    addEventListener('keydown', end)
    return () => removeEventListener('keydown', end)
  }, [isOn])
  return {
    isOn,
    names,
    turn,
    replace,
    toggle: (name) => replace(names.has(name) ? [...names].filter((one) => one !== name) : [...names, name]),
  }
}
