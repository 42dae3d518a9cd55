import type { Commands } from './command.ts'

/** The commands for programs that decide by themselves. */
export const agentCommands: Commands = {
  mcp: {
    usage: 'mcp [--profile p]',
    about: `Serves the Model Context Protocol on standard input and output, for clients that start a program: the tools are those of
the service at /mcp. Needs the token of an agent, in STRONGROOM_TOKEN with STRONGROOM_URL, or in a profile.`,
    options: {},
    words: [0, 0],
    async work(_given, open) {
      const { serveMcp } = await import('./mcp.ts')
      return serveMcp(open().client)
    },
  },
}
