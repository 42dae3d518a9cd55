import { Button } from '@mantine/core'
import { useEffect } from 'react'
import { titled } from '../../branding.ts'
import { Link } from '../../navigation/Link.tsx'
import { Card } from './Card.tsx'
import { text } from './messages.ts'

/** Where a sign-in ends that was opened in a tab of its own: the tab where the session had expired continues by itself. */
export default function SignedIn() {
  useEffect(() => {
    document.title = titled(text.signedIn)
    // Browsers close only tabs that a page has opened.
    window.close()
  }, [])
  return (
    <Card title={text.signedIn}>
      <p role="status">{text.signedInHint}</p>
      <Button component={Link} to="/" variant="default">
        {text.openConsole}
      </Button>
    </Card>
  )
}
