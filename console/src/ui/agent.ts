import { text } from './messages.ts'

const browsers: readonly (readonly [RegExp, string])[] = [
  [/\bEdg\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bFirefox\//, 'Firefox'],
  [/\bChrom(e|ium)\/|HeadlessChrome/, 'Chrome'],
  [/\bSafari\//, 'Safari'],
  [/^curl\//, 'curl'],
]
const systems: readonly (readonly [RegExp, string])[] = [
  [/\bAndroid\b/, 'Android'],
  [/\b(iPhone|iPad)\b/, 'iOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
]
const first = (list: typeof browsers, agent: string): string | undefined => list.find(([sign]) => sign.test(agent))?.[1]

/** A user agent in a few words: `Firefox on Linux`. */
export function nameAgent(agent: string | null): string {
  if (agent === null || agent === '') return text.unknownAgent
  const browser = first(browsers, agent)
  const system = first(systems, agent)
  if (browser === undefined) return agent.split(' ')[0] ?? text.unknownAgent
  return system === undefined ? browser : text.agentOn(browser, system)
}
