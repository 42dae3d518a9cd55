import { Button, SegmentedControl, Select, TextInput } from '@mantine/core'
import { IconPlugConnected } from '@tabler/icons-react'
import { useState } from 'react'
import { NewCredentials, S3Place } from '../storages/Fields.tsx'
import { formText } from '../storages/messages.ts'
import { text } from './messages.ts'
import { engineOf, type Plan } from './plan.ts'

/** Where the objects are: on a registered storage or a new one. It is tested before the next step. */
export function PlaceStep({ plan, onTested }: { plan: Plan; onTested: () => void }) {
  const { storages, isNew, place, known, registered } = plan
  const [testing, setTesting] = useState(false)
  const test = async () => {
    if (plan.test) return onTested()
    setTesting(true)
    const isTested = await plan.ask()
    setTesting(false)
    if (isTested) onTested()
  }
  return (
    <form
      className="card stack step-card"
      tabIndex={-1}
      aria-labelledby="attach-place"
      onSubmit={(event) => {
        event.preventDefault()
        if (plan.isReady && !testing) void test()
      }}
    >
      <h2 id="attach-place">{text.placeTitle}</h2>
      {storages.length === 0 ? null : (
        <SegmentedControl
          aria-label={text.from}
          className="attach-from"
          data={[
            { value: 'registered', label: text.registered },
            { value: 'new', label: text.new },
          ]}
          value={plan.from}
          onChange={(value) => plan.setFrom(value === 'new' ? 'new' : 'registered')}
        />
      )}
      {isNew ? (
        <>
          <S3Place form={place} isNew />
          <div className="stack-tight">
            <h3>{formText.credentials}</h3>
            <p className="dim small">
              {text.newHint} {formText.credentialsHint}
            </p>
          </div>
          <NewCredentials form={place} />
        </>
      ) : (
        <div className="storages-pair">
          <Select
            label={text.from}
            data={storages.map(({ name, bucket, endpoint }) => ({
              value: name,
              label: [name, [engineOf(endpoint), bucket].filter(Boolean).join('/')].join(' – '),
            }))}
            value={registered?.name ?? null}
            onChange={(value) => known.set('storage', value ?? '')}
            allowDeselect={false}
          />
          <TextInput
            {...known.field('prefix')}
            error={known.faults.prefix?.startsWith('must match') ? formText.badForm : known.faults.prefix}
            label={text.prefix}
            description={registered ? text.prefixHint(`${registered.bucket}/${registered.prefix}`) : undefined}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            autoComplete="off"
            spellCheck={false}
            maxLength={512}
          />
        </div>
      )}
      <div className="dialog-actions">
        <Button
          type="submit"
          leftSection={<IconPlugConnected size={15} />}
          loading={testing}
          disabled={!plan.isReady || plan.isPending}
        >
          {plan.test ? text.next : text.goTest}
        </Button>
      </div>
    </form>
  )
}
