import type { NewAgent } from '../../../../contract/agents.ts'
import { SecretReveal } from '../../ui/Secret.tsx'
import { Snippets } from '../../ui/Snippets.tsx'
import { text } from './messages.ts'

const json = (value: object): string => JSON.stringify(value, null, 2)

/** How clients connect to the MCP server, ready to be pasted. */
const snippetsOf = ({ token, access_key_id, secret_access_key }: NewAgent): { [client: string]: string } => ({
  'MCP, HTTP': json({
    mcpServers: {
      strongroom: { type: 'http', url: `${location.origin}/mcp`, headers: { Authorization: `Bearer ${token}` } },
    },
  }),
  'MCP, stdio': json({
    mcpServers: {
      strongroom: {
        command: 'strongroom',
        args: ['mcp'],
        env: { STRONGROOM_URL: location.origin, STRONGROOM_TOKEN: token },
      },
    },
  }),
  S3: `AWS_ACCESS_KEY_ID=${access_key_id}\nAWS_SECRET_ACCESS_KEY=${secret_access_key}`,
})

/** Shows the credentials of an agent, this one time. */
export const RevealAgent = ({ agent, onClose }: { agent: NewAgent; onClose: () => void }) => (
  <SecretReveal title={text.revealTitle} label={text.token} secret={agent.token} onClose={onClose}>
    <Snippets title={text.connect} label={text.client} snippets={snippetsOf(agent)} />
  </SecretReveal>
)
