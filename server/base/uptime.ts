import os from 'node:os'

/** Milliseconds since the machine booted, including sleep (Linux); unaffected by setting the clock, and the same in all processes. */
export const machineUptime = (): number => os.uptime() * 1000
