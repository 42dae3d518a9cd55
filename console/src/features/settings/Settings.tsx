import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useMe } from '../../api/queries.ts'
import { text as common } from '../../ui/messages.ts'
import { Page } from '../../ui/Page.tsx'
import { ForbiddenView } from '../../ui/ProblemView.tsx'
import { StateView } from '../../ui/StateView.tsx'
import { useLeaveGuard } from '../../ui/useLeaveGuard.ts'
import { ViewTabs } from '../../ui/ViewTabs.tsx'
import { type Draft, isEmptyDraft, type Section, sectionNames } from './fields.ts'
import { sectionText, text } from './messages.ts'
import { settingsQuery } from './queries.ts'
import { SectionForm } from './SectionForm.tsx'
import './settings.css'

/** The runtime settings, a tab for each section. Unsaved changes stay when another tab is opened. */
export default function Settings() {
  const me = useMe()
  const settings = useQuery({ ...settingsQuery, enabled: me.isAdmin })
  const [drafts, setDrafts] = useState<Partial<Record<Section, Draft>>>({})
  useLeaveGuard(Object.values(drafts).some((draft) => !isEmptyDraft(draft)))
  if (!me.isAdmin)
    return (
      <Page title={text.title}>
        <ForbiddenView right={text.right} />
      </Page>
    )
  return (
    <Page title={text.title} hint={text.hint} call={{ operation: 'getSettings' }}>
      <StateView query={settings}>
        {(settings) => (
          <ViewTabs
            vertical
            label={text.title}
            tabs={sectionNames.map((section) => ({
              name: section,
              label: (
                <>
                  {sectionText[section]}
                  {isEmptyDraft(drafts[section]) ? null : (
                    <span className="settings-dirty" title={common.unsaved}>
                      <span className="visually-hidden">({common.unsaved})</span>
                    </span>
                  )}
                </>
              ),
              content: () => (
                <SectionForm
                  key={section}
                  section={section}
                  settings={settings}
                  draft={drafts[section] ?? {}}
                  onDraft={(draft) => setDrafts((old) => ({ ...old, [section]: draft }))}
                />
              ),
            }))}
          />
        )}
      </StateView>
    </Page>
  )
}
