import { Anchor, Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useEffect } from 'react'
import { ProblemView } from '../ui/ProblemView.tsx'
import { text } from './messages.ts'

const useTitle = (title: string) =>
  useEffect(() => {
    document.title = `${title} – Stowage`
  }, [title])

export function NotFound() {
  useTitle(text.notFoundTitle)
  return (
    <main className="state">
      <h1>{text.notFoundTitle}</h1>
      <p className="dim">{text.notFoundHint}</p>
      <Anchor component={Link} to="/buckets">
        {text.home}
      </Anchor>
    </main>
  )
}

/** A view that failed; where a part of the page cannot be fetched any more, there is a newer one. */
export function FailedView({ error }: { error: unknown }) {
  const outdated = error instanceof TypeError && /import|module/i.test(error.message)
  useTitle(outdated ? text.newVersion : text.brokenTitle)
  const reload = () => location.reload()
  if (!outdated) return <ProblemView error={error} retry={reload} />
  return (
    <div className="state" role="alert">
      <h1>{text.newVersion}</h1>
      <Button onClick={reload}>{text.reload}</Button>
    </div>
  )
}
