import { Button } from '@mantine/core'
import { useMemo } from 'react'
import QrImage, { drawQr } from '../../ui/QrImage.tsx'
import { saveFile } from '../../ui/save.ts'
import { text } from './messages.ts'

const PNG_SIDE = 1024

/** A QR code, always dark on white, to scan or to save. */
export default function QrCode({ value, name, onSaved }: { value: string; name: string; onSaved: () => void }) {
  const { path, side } = useMemo(() => drawQr(value), [value])
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${side} ${side}"><path fill="#fff" d="M0 0h${side}v${side}H0z"/><path d="${path}"/></svg>`
  const savePng = () => {
    const canvas = document.createElement('canvas')
    const scale = Math.max(1, Math.floor(PNG_SIDE / side))
    canvas.width = canvas.height = side * scale
    const pen = canvas.getContext('2d')
    if (!pen) return
    pen.fillStyle = '#fff'
    pen.fillRect(0, 0, canvas.width, canvas.height)
    pen.scale(scale, scale)
    pen.fillStyle = '#000'
    pen.fill(new Path2D(path))
    canvas.toBlob((blob) => {
      if (!blob) return
      saveFile(`${name}.png`, blob)
      onSaved()
    }, 'image/png')
  }
  const saveSvg = () => {
    saveFile(`${name}.svg`, svg, 'image/svg+xml')
    onSaved()
  }
  return (
    <div className="shares-qr">
      <QrImage value={value} label={text.qr} />
      <div className="row">
        <Button variant="default" onClick={saveSvg}>
          {text.downloadSvg}
        </Button>
        <Button variant="default" onClick={savePng}>
          {text.downloadPng}
        </Button>
      </div>
    </div>
  )
}
