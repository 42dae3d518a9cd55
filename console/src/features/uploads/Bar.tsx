/** The progress of an upload or a group. */
export const Bar = ({ percent, label }: { percent: number; label: string }) => (
  <div
    className="meter uploads-bar"
    role="progressbar"
    aria-label={label}
    aria-valuenow={Math.round(percent)}
    aria-valuemin={0}
    aria-valuemax={100}
  >
    <span style={{ inlineSize: `${Math.min(100, percent)}%` }} />
  </div>
)
