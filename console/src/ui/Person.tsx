import { useQuery } from '@tanstack/react-query'
import { useMe } from '../api/queries.ts'
import { client } from '../api/session.ts'
import { text } from './messages.ts'

/** A user's email address, for those who can see it. */
export function Person({ id }: { id: string | null }) {
  const me = useMe()
  const isMe = id === me.id
  const user = useQuery({
    queryKey: ['user', id],
    queryFn: () => client.getUser({ params: { id: id ?? '' } }),
    enabled: id !== null && !isMe && me.managesUsers,
    retry: false,
  })
  if (id === null) return <span className="dim">{text.unknownPerson}</span>
  if (isMe) return text.you
  if (!me.managesUsers)
    return (
      <span className="dim" title={id}>
        {text.otherUser}
      </span>
    )
  return user.data ? user.data.email : <span className="mono">{id}</span>
}
