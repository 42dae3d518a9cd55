import { Alert, Loader } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import type { Api } from '../../../../contract/index.ts'
import type { Reply } from '../../../../contract/route.ts'
import { describeProblem, statusOf } from '../../api/problem.ts'
import { formatBytes, formatTime } from '../../i18n.ts'
import { ListTable } from '../../ui/ListTable.tsx'
import { ProblemView } from '../../ui/ProblemView.tsx'
import { Bytes, TimeAgo } from '../../ui/values.tsx'
import { ItemName, itemId } from './ItemName.tsx'
import { text } from './messages.ts'
import { inWords, type Rule } from './rule.ts'

type Found = Reply<Api['previewPolicy']>

/** What a rule would delete now: count, size, a sample, and why other objects stay. */
export function Preview({
  rule,
  complete,
  current,
  preview,
}: {
  rule: Rule
  complete: boolean
  /** The preview belongs to the current rule. */
  current: boolean
  preview: UseQueryResult<Found>
}) {
  const { data, error } = preview
  return (
    <section className="card stack policies-preview" aria-label={text.preview} aria-busy={complete && !current}>
      <div className="row">
        <h2 className="grow">{text.preview}</h2>
        {complete && !current && !error ? <Loader size="xs" role="img" aria-label={text.looking} /> : null}
      </div>
      {complete ? <p>{inWords(rule)}.</p> : <p className="dim">{text.previewWait}</p>}
      {complete && error && statusOf(error) === 422 ? (
        <p className="bad small" role="status">
          {describeProblem(error).detail}
        </p>
      ) : null}
      {complete && error && statusOf(error) !== 422 ? <ProblemView error={error} retry={preview.refetch} /> : null}
      {complete && data && !error ? (
        <div className="stack" data-stale={!current || undefined}>
          <Result found={data} />
        </div>
      ) : null}
    </section>
  )
}

function Result({ found }: { found: Found }) {
  const { matched, bytes, examined, complete, oldest, newest, excluded, objects, would_stop, next_runs } = found
  const stays = [
    [text.staysGlob, excluded.glob],
    [text.staysSize, excluded.min_size],
    [text.staysLarge, excluded.max_size],
    [text.staysTags, excluded.tags],
    [text.staysNewest, excluded.keep_newest],
    [text.staysAge, excluded.older_than_days],
    [text.staysDate, excluded.date],
    [text.staysSince, excluded.noncurrent_days],
    [text.staysVersions, excluded.keep_versions],
    [text.staysMarkers, excluded.expired_markers],
    [text.staysLocked, excluded.locked],
  ] as const
  return (
    <>
      <div role="status">
        <p className="policies-count">
          <strong>{text.objects(matched)}</strong>, {formatBytes(bytes)}
        </p>
        <p className="dim">{complete ? text.ofExamined(examined) : text.atLeast(examined)}</p>
        {matched > 0 ? <p className="dim small">{text.whereTo}</p> : null}
        {oldest && newest ? <p className="dim small">{text.fromTo(formatTime(oldest), formatTime(newest))}</p> : null}
      </div>
      {would_stop ? (
        <Alert title={text.wouldStop} className="alert-warn">
          {would_stop}
        </Alert>
      ) : null}
      {stays.some(([, n]) => n > 0) ? (
        <dl className="facts">
          {stays.map(([words, n]) =>
            n > 0 ? (
              <div key={words} className="policies-stay">
                <dt>{words}</dt>
                <dd className="number">{text.objects(n)}</dd>
              </div>
            ) : null,
          )}
        </dl>
      ) : null}
      {objects.length === 0 ? (
        <p className="dim">{text.nothing}</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys
        <section className="policies-sample" tabIndex={0} aria-label={text.sample(objects.length)}>
          <ListTable
            label={text.sample(objects.length)}
            columns={[
              {
                key: 'key',
                breaks: true,
                title: `${text.sample(objects.length)} · ${text.key}`,
                cell: (item) => <ItemName item={item} />,
              },
              { key: 'size', title: text.size, number: true, cell: ({ size }) => <Bytes bytes={size} /> },
              {
                key: 'changed',
                title: text.changed,
                optional: true,
                cell: ({ last_modified }) => <TimeAgo time={last_modified} />,
              },
            ]}
            rows={objects}
            rowKey={itemId}
          />
        </section>
      )}
      {next_runs.length > 0 ? (
        <div>
          <p className="dim small">{text.nextRuns}</p>
          <ul className="policies-times">
            {next_runs.map((time) => (
              <li key={time}>{formatTime(time)}</li>
            ))}
          </ul>
        </div>
      ) : null}
    </>
  )
}
