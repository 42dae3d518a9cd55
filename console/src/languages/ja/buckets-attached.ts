import type * as english from '../../features/buckets/attached-messages.ts'
import { formatCount, type Translation } from '../../i18n.ts'

export const takeOverText: Translation<typeof english.takeOverText> = {
  title: '引き継ぎ',
  cardHint:
    'オブジェクトは、コピーせずにこのバケット自身のものになり、ここで名前の変更、上書き、削除ができるようになります。その後は、ほかから元の場所に書き込まないでください。',
  open: '引き継ぐ…',
  adminsOnly: '引き継ぎは管理者のみが行えます。',
}

export const releaseText: Translation<typeof english.releaseText> = {
  title: '切り離し',
  hint: 'すべてのオブジェクトを、それぞれのキーで S3 ストレージに書き込みます。その後、バケットは読み取り専用になり、そこにあるオブジェクトを表示します。',
  open: 'バケットを切り離す…',
  adminsOnly: '切り離しは管理者のみが行えます。',
  heading: (bucket) => `${bucket} の切り離し`,
  storage: 'オブジェクトの書き込み先',
  prefix: 'プレフィックス',
  prefixHint: (place) => `その下が空である必要があります。プレフィックスを指定しない場合は ${place} です。`,
  noStorage: 'オンになっている S3 ストレージがありません。先に追加してください。',
  check: '確認',
  refused: 'このバケットは切り離せません',
  willWrite: (n, size) =>
    `${formatCount(n)} 個のオブジェクト (${size}): それぞれを種類、ヘッダー、メタデータ、タグとともに書き込み、読み直して照合します。`,
  willLock:
    'その間、バケットは読み取れますが変更できません。ジョブをキャンセルした場合は、引き継ぎ済みのままになります。',
  willEnd:
    '完了すると読み取り専用になり、書き込み先のオブジェクトを表示します。もう一度切り離すと、その情報も消去されます。',
  willStay: '元の場所からは何も削除されません。不要になったら、元の場所で削除してください。',
  start: '切り離しを開始',
  started: 'バケットの切り離しを開始しました',
}
