import { useMemo } from 'react'
import { encode } from 'uqr'

const QUIET = 4

/** A QR code's dark modules as one path, and its width in modules including the margin. */
export function drawQr(value: string): { path: string; side: number } {
  const { data, size } = encode(value, { ecc: 'M', border: QUIET })
  const path = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : []))).join('')
  return { path, side: size }
}

/** A QR code, always dark on white. */
export default function QrImage({ value, label }: { value: string; label: string }) {
  const { path, side } = useMemo(() => drawQr(value), [value])
  return (
    <svg viewBox={`0 0 ${side} ${side}`} role="img" aria-label={label} shapeRendering="crispEdges">
      <path fill="#fff" d={`M0 0h${side}v${side}H0z`} />
      <path fill="#000" d={path} />
    </svg>
  )
}
