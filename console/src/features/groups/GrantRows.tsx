import './groups.css'
import { ActionIcon, Autocomplete, Checkbox, Select } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { Fragment } from 'react'
import { type BucketAction, type Preset, presetNames, presetOf, presets } from '../../../../contract/permissions.ts'
import { placeWords } from '../../keys.ts'
import type { Row } from './changes.ts'
import { actionHints, text } from './messages.ts'
import { LooseWarning, PrefixField } from './PrefixField.tsx'

interface Props {
  rows: readonly Row[]
  faults: ReadonlyMap<number, 'pattern' | 'actions'>
  /** Bucket names to suggest. */
  buckets: readonly string[]
  /** What can be granted. */
  actions: readonly BucketAction[]
  readOnly: boolean
  onChange: (rows: Row[]) => void
}

/** The matrix of buckets and permissions. On narrow screens each row is a block. */
export function GrantRows({ rows, faults, buckets, actions: grantable, readOnly, onChange }: Props) {
  const offeredPresets = presetNames.filter((name) => presets[name].every((action) => grantable.includes(action)))
  const set = (row: number, change: Partial<Row>) =>
    onChange(rows.map((one) => (one.row === row ? { ...one, ...change } : one)))
  const offered = ['*', ...buckets]
  if (rows.length === 0) return null
  return (
    <div className="groups-matrix">
      <div className="groups-grant groups-grant-head" aria-hidden>
        <span>{text.pattern}</span>
        <span>{text.prefix}</span>
        <span>{text.preset}</span>
        <span className="groups-actions">
          {grantable.map((action) => (
            <span key={action} title={actionHints[action]}>
              {action}
            </span>
          ))}
        </span>
        <span />
      </div>
      {rows.map(({ row, bucket_pattern, prefix, actions }, i) => {
        const at = bucket_pattern === '' ? text.grantOf(i + 1) : placeWords(bucket_pattern, prefix)
        const fault = faults.get(row)
        const toggle = (action: BucketAction, on: boolean) =>
          set(row, { actions: on ? [...actions, action] : actions.filter((one) => one !== action) })
        return (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be a grid everywhere
          <div key={row} className="groups-grant" role="group" aria-label={at}>
            <Autocomplete
              size="sm"
              aria-label={`${text.pattern}, ${text.grantOf(i + 1)}`}
              value={bucket_pattern}
              onChange={(value) => set(row, { bucket_pattern: value.trim() })}
              // A list with nothing but what is there already would only cover what comes below.
              data={offered.filter((name) => name !== bucket_pattern)}
              limit={20}
              placeholder={text.patternExample}
              error={fault === 'pattern' && bucket_pattern !== '' ? text.badPattern : undefined}
              readOnly={readOnly}
              autoComplete="off"
              spellCheck={false}
              maxLength={63}
            />
            <PrefixField
              label={`${text.prefix}, ${text.grantOf(i + 1)}`}
              row={text.grantOf(i + 1)}
              pattern={bucket_pattern}
              prefix={prefix}
              buckets={buckets}
              readOnly={readOnly}
              onChange={(value) => set(row, { prefix: value })}
            />
            <Select
              className="groups-preset"
              aria-label={`${text.preset}, ${text.grantOf(i + 1)}`}
              data={[...offeredPresets, { value: '', label: text.custom, disabled: true }]}
              value={presetOf(actions) ?? ''}
              onChange={(name) => {
                if (name) set(row, { actions: [...presets[name as Preset]] })
              }}
              readOnly={readOnly}
            />
            <span className="groups-actions">
              {grantable.map((action) => (
                <Checkbox
                  key={action}
                  label={action}
                  title={actionHints[action]}
                  aria-label={text.actionOn(action, at)}
                  checked={actions.includes(action)}
                  disabled={readOnly}
                  onChange={(event) => toggle(action, event.currentTarget.checked)}
                />
              ))}
            </span>
            {readOnly ? (
              <span />
            ) : (
              <ActionIcon
                className="groups-remove"
                aria-label={text.removeGrant(at)}
                onClick={() => onChange(rows.filter((one) => one.row !== row))}
              >
                <IconX size={16} />
              </ActionIcon>
            )}
            {readOnly || prefix === '' || prefix.endsWith('/') ? null : (
              <LooseWarning
                bucket={buckets.find((name) => name === bucket_pattern)}
                prefix={prefix}
                row={text.grantOf(i + 1)}
                onChange={(value) => set(row, { prefix: value })}
              />
            )}
            {fault === 'actions' ? <span className="bad small groups-fault">{text.noActions}</span> : null}
          </div>
        )
      })}
      <details className="groups-legend">
        <summary>{text.legend}</summary>
        <dl className="facts">
          {grantable.map((action) => (
            <Fragment key={action}>
              <dt>{action}</dt>
              <dd>{actionHints[action]}</dd>
            </Fragment>
          ))}
        </dl>
      </details>
    </div>
  )
}
