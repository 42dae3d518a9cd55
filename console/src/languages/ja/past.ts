import type * as english from '../../features/past/messages.ts'
import type { Translation } from '../../i18n.ts'

export const text: Translation<typeof english.text> = {
  title: (place) => `${place} の過去の内容`,
  ago: (span) => ({ hour: '1時間前', day: '昨日', week: '先週', month: '1か月前' })[span],
  usual: 'よく使う時点',
  moment: '日時',
  momentHint: 'その時点の一覧を表示します。何も変更されません。',
  notYet: 'この日時は未来です。',
  show: '表示',
  snapshots: 'スナップショット',
  change: '別の時点…',
  changes: '変更とスナップショット',
  nothingKept: 'このバケットはゴミ箱もバージョンも保持しません。スナップショットが保持する内容だけを表示できます。',
  band: '過去',
  asOf: (time) => `${time} 時点`,
  snapshot: (name) => `スナップショット ${name}`,
  readOnly: '読み取り専用: これは過去の内容です。',
  since: 'その後の変更',
  now: '現在に戻る',
  wasEmpty: 'この時点では何もありませんでした',
  wasEmptyHint: 'この時点でフォルダーは存在しないか、空でした。',
  unknown: 'この時点は表示できません',
  erasedHint: '内容はその後完全に削除されました。',
  noPreview: 'この種類のファイルは過去の時点ではプレビューできません。ダウンロードして開いてください。',
  noFormer: 'ゴミ箱にこのファイルの以前の内容はありません。',
  replaced: '置換',
}
