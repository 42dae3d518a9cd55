import { useQuery } from '@tanstack/react-query'

/** Above this size, highlighting costs more than it helps. */
const MOST_COLOURED = 100_000

/** A text with the colours of its language, which come when the highlighter is loaded. */
export function Code({ words, language }: { words: string; language: string }) {
  const coloured = useQuery({
    queryKey: ['coloured', language, words],
    queryFn: async () => (await import('./colour.ts')).colour(words, language),
    enabled: language !== '' && words.length <= MOST_COLOURED,
    gcTime: 0,
    refetchOnWindowFocus: false,
  })
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keys
    <pre tabIndex={0}>
      {coloured.data?.map(({ text: part, tone }, i) =>
        tone ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: they never change
          <span key={i} className={`tone-${tone}`}>
            {part}
          </span>
        ) : (
          part
        ),
      ) ?? words}
    </pre>
  )
}
