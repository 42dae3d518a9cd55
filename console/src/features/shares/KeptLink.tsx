import { Button, Modal } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { NewShare, Share } from '../../../../contract/shares.ts'
import { StateView } from '../../ui/StateView.tsx'
import { nameOf } from './describe.ts'
import { LinkFields, useLink } from './LinkFields.tsx'
import { text } from './messages.ts'
import { linkQuery } from './queries.ts'

/** A link that its creator looks at again. */
export function KeptLink({ share, onDone }: { share: Share; onDone: { label: string; go: () => void } }) {
  const found = useQuery(linkQuery(share.id))
  return (
    <div className="stack">
      <StateView query={found}>{(urls) => <Fields share={share} urls={urls} />}</StateView>
      <div className="dialog-actions">
        <Button variant="default" onClick={onDone.go}>
          {onDone.label}
        </Button>
      </div>
    </div>
  )
}

function Fields({ share, urls }: { share: Share; urls: Pick<NewShare, 'url' | 'page_url'> }) {
  const link = useLink(urls)
  const [isTaken, setTaken] = useState(false)
  const taken = () => setTaken(true)
  const copy = async () => {
    if (await link.copy()) taken()
  }
  return <LinkFields share={share} link={link} isTaken={isTaken} onCopy={() => void copy()} onTaken={taken} />
}

/** The same in a dialog of its own. */
export const KeptLinkDialog = ({ share, onClose }: { share: Share; onClose: () => void }) => (
  <Modal opened onClose={onClose} title={text.linkTo(nameOf(share))} size="lg">
    <KeptLink share={share} onDone={{ label: text.done, go: onClose }} />
  </Modal>
)
