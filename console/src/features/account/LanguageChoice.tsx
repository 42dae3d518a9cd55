import { Select } from '@mantine/core'
import { IconLanguage } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type LanguageTag, languages } from '../../../../contract/languages.ts'
import { meQuery, useMe } from '../../api/queries.ts'
import { client } from '../../api/session.ts'
import { followLanguage, languageNames } from '../../language.ts'
import { notify } from '../../ui/notify.tsx'
import { text } from './messages.ts'

/** The language of the console for this account; the page is loaded again in it. */
export function LanguageChoice() {
  const { language } = useMe()
  const cache = useQueryClient()
  const change = useMutation({
    mutationFn: (chosen: LanguageTag | null) => client.updateMe({ body: { language: chosen } }),
    onSuccess: (me) => {
      cache.setQueryData(meQuery.queryKey, me)
      followLanguage(me.language)
    },
    onError: notify.problem,
  })
  return (
    <Select
      label={text.language}
      description={text.languageHint}
      allowDeselect={false}
      leftSection={<IconLanguage size={16} stroke={1.6} />}
      data={[
        { value: '', label: text.languageOfBrowser },
        ...languages.map((tag) => ({ value: tag, label: languageNames[tag] })),
      ]}
      renderOption={({ option }) => <span lang={option.value || undefined}>{option.label}</span>}
      value={language ?? ''}
      disabled={change.isPending}
      onChange={(chosen) => change.mutate((chosen || null) as LanguageTag | null)}
    />
  )
}
