import { CopyField } from '../../ui/CopyField.tsx'
import QrImage from '../../ui/QrImage.tsx'
import { text } from './messages.ts'

/** An authenticator app's key, to be scanned or typed. */
export default function AppKey({ secret, uri }: { secret: string; uri: string }) {
  return (
    <>
      <p className="dim">{text.scan}</p>
      <div className="second-factor-qr">
        <QrImage value={uri} label={text.qr} />
      </div>
      <CopyField label={text.key} hideLabel={false} value={secret} mono />
    </>
  )
}
