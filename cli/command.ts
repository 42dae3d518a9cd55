import { UsageError } from './config.ts'
import type { Run } from './run.ts'

export type Options = Record<string, { type: 'boolean' | 'string'; short?: string; multiple?: boolean }>
/** What the command was called with. */
export interface Given {
  words: string[]
  flag(name: string): boolean
  value(name: string): string | undefined
  /** Of an option that can be given several times. */
  values(name: string): string[]
}
export interface Command {
  usage: string
  about: string
  options: Options
  words: [least: number, most: number]
  /** It displays its progress on a terminal from the start. */
  live?: true
  /** What it resolves to is the exit code, if it is a number. */
  work(given: Given, run: () => Run): Promise<unknown>
}
export type Commands = Record<string, Command>

/** A positive number from user input. */
export function numberOf(option: string, text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new UsageError(`${option} must be a number.`)
}
