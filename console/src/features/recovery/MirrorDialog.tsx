import { Anchor, Button, Modal, NumberInput, Select } from '@mantine/core'
import type { MirrorChange, Storage } from '../../../../contract/storages.ts'
import { queries } from '../../api/queries.ts'
import { client } from '../../api/session.ts'
import { Link } from '../../navigation/Link.tsx'
import { confirm } from '../../ui/confirm.tsx'
import { text as common } from '../../ui/messages.ts'
import { notify } from '../../ui/notify.tsx'
import { useForm } from '../../ui/useForm.ts'
import { text } from './messages.ts'

const KEEP_DAYS = 30

/** Gives a storage a mirror, and changes or ends it. */
export function MirrorDialog({
  storage: { name, mirror },
  others,
  onClose,
}: {
  storage: Storage
  others: readonly string[]
  onClose: () => void
}) {
  const form = useForm({
    storage: mirror?.storage ?? others[0] ?? '',
    acknowledge: mirror?.acknowledge ?? 'one',
    when_down: mirror?.when_down ?? 'refuse',
    keep_removed_days: (mirror?.keep_removed_days ?? KEEP_DAYS) as number | string,
  })
  const { storage, acknowledge, when_down, keep_removed_days } = form.values
  const isReady = storage !== '' && typeof keep_removed_days === 'number'
  const update = (change: MirrorChange | null) =>
    client.updateStorage({ params: { storage: name }, body: { mirror: change } })
  const done = async (words: string) => {
    notify.ok(words)
    await queries.invalidateQueries({ queryKey: ['storages'] })
    onClose()
  }
  const save = async () => {
    const taken = await form.submit(
      () =>
        update({
          storage,
          acknowledge,
          when_down,
          ...(typeof keep_removed_days === 'number' ? { keep_removed_days } : {}),
        }),
      { conflict: 'storage', not_found: 'storage' },
    )
    if (taken) await done(text.saved)
  }
  const turnOff = async () => {
    const yes = await confirm({
      title: text.turnOffTitle(name),
      children: text.turnOffText,
      action: text.turnOff,
      typed: name,
    })
    if (!yes) return
    if (await form.submit(() => update(null))) await done(text.turnedOff)
  }
  const faultOf = (field: string) => form.faults[field] ?? form.faults[`mirror.${field}`]
  return (
    <Modal opened onClose={onClose} title={text.mirrorTitle(name)}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          if (isReady) void save()
        }}
      >
        <p className="dim">{text.mirrorHint}</p>
        {others.length === 0 ? (
          <p>
            {text.noOther}{' '}
            <Anchor component={Link} to="/admin/storages/_new">
              {text.register}
            </Anchor>
          </p>
        ) : (
          <>
            <Select
              label={text.mirror}
              data={others}
              value={storage}
              onChange={(value) => form.set('storage', value ?? '')}
              error={faultOf('storage')}
              allowDeselect={false}
              data-autofocus
            />
            <Select
              label={text.acknowledge}
              data={[
                { value: 'one', label: text.acknowledgeOne },
                { value: 'both', label: text.acknowledgeBoth },
              ]}
              value={acknowledge}
              onChange={(value) => form.set('acknowledge', value === 'both' ? 'both' : 'one')}
              error={faultOf('acknowledge')}
              allowDeselect={false}
            />
            {acknowledge === 'both' ? (
              <Select
                label={text.down}
                data={[
                  { value: 'refuse', label: text.downRefuse },
                  { value: 'continue', label: text.downContinue },
                ]}
                value={when_down}
                onChange={(value) => form.set('when_down', value === 'continue' ? 'continue' : 'refuse')}
                error={faultOf('when_down')}
                allowDeselect={false}
              />
            ) : null}
            <NumberInput
              label={text.keepDays}
              description={text.keepDaysHint}
              value={keep_removed_days}
              onChange={(value) => form.set('keep_removed_days', value)}
              error={faultOf('keep_removed_days')}
              min={0}
              max={3650}
              allowDecimal={false}
              hideControls
            />
          </>
        )}
        <div className="dialog-actions">
          {mirror === null ? null : (
            <>
              <Button variant="subtle" color="danger" onClick={() => void turnOff()}>
                {text.turnOff}
              </Button>
              <span className="grow" />
            </>
          )}
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button type="submit" loading={form.sending} disabled={!isReady}>
            {common.save}
          </Button>
        </div>
      </form>
    </Modal>
  )
}
