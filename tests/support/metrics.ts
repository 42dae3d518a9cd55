/** The value of each series in a scrape, by `name{label="value",…}`, as Prometheus reads it. */
export function parseMetrics(text: string): Map<string, number> {
  const series = new Map<string, number>()
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue
    const [, name, value] = /^([a-zA-Z_:][\w:]*(?:\{(?:[a-zA-Z_]\w*="(?:\\.|[^"\\])*",?)*\})?) (\S+)$/.exec(line) ?? []
    if (name === undefined) throw new Error(`No line of a scrape: ${line}`)
    if (series.has(name)) throw new Error(`Twice in a scrape: ${name}`)
    series.set(name, Number(value))
  }
  return series
}

/** The metrics of a scrape by name, with their types. */
export const typesOf = (text: string): Map<string, string> =>
  new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => [name, type]))
