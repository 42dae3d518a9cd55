import type * as english from '../../features/storages/messages.ts'
import { formatCount, type Translation } from '../../i18n.ts'

const buckets = (n: number) => `${formatCount(n)} 個のバケット`

export const text: Translation<typeof english.text> = {
  right: 'admin',
  title: 'ストレージ',
  hint: 'バケットのデータの保存先です。S3 互換エンジンまたはフォルダーを使えます。',
  add: 'ストレージを追加',
  // The list
  name: '名前',
  isDefault: '既定',
  kind: '種類',
  kindName: (kind) => ({ s3: 'S3', file: 'フォルダー' })[kind],
  where: '場所',
  aws: 'AWS',
  buckets: 'バケット',
  used: '使用量',
  health: '稼働状況',
  reachable: '接続可能',
  reachedIn: (ms) => `${formatCount(ms)} ms で応答`,
  slow: '低速',
  unreachable: '接続不可',
  noticed: '検出:',
  off: 'オフ',
  checking: '確認中…',
  free: '空き',
  // What is attached to it
  attached: '接続したバケット',
  attachedNone: 'なし',
  attach: 'バケットを接続',
  // One storage
  about: 'このストレージについて',
  created: '作成日時',
  defaultHint: 'STORAGE_URL で設定されているため、ここでは変更も削除もできません。',
  connection: '接続',
  save: '保存',
  saved: 'ストレージを保存しました',
  refused: '保存していません',
  danger: '危険な操作',
  turnOff: 'オフにする',
  turnOffHint: 'オフの間、このストレージにあるものへのリクエストには 503 を返します。中のものは変更されません。',
  turnOffTitle: (name) => `${name} をオフにしますか？`,
  turnOffText: (n) =>
    n === 0
      ? 'オンに戻すまで使えません。このストレージにあるものへのリクエストには 503 を返します。'
      : `オンに戻すまで、このストレージにあるものへのリクエストには 503 を返します。${buckets(n)}に影響します。`,
  turnedOff: (name) => `${name} をオフにしました`,
  turnOn: 'オンにする',
  isOff: 'このストレージはオフです。ここにあるものへのリクエストには 503 を返します。',
  turnedOn: (name) => `${name} をオンにしました`,
  remove: 'ストレージを削除',
  removeHint: 'この一覧から削除します。同じ場所にあるほかのオブジェクトは残ります。',
  removeFirst: (n) =>
    `削除できるのは、バケットのないストレージだけです。先に ${buckets(n)}を移動するか切り離してください。`,
  removeTitle: (name) => `${name} を削除しますか？`,
  removeText: 'ストレージとその認証情報を Strongroom から削除します。同じ場所にあるほかのオブジェクトは残ります。',
  removed: 'ストレージを削除しました',
}

export const roomText: Translation<typeof english.roomText> = {
  title: 'ディスク容量',
  of: (disk) => ({ database: 'データベース', storage: 'オブジェクト' })[disk],
  both: 'データベースとオブジェクト',
  free: '空き:',
  state: (state) => ({ room: '十分', nearly_full: '残りわずか', short: 'ほぼ満杯' })[state],
  refused: '空きができるまでアップロードは拒否されます。ダウンロード、サインイン、削除は引き続き利用できます。',
  soon: '空きが 10 分の 1 未満です。ほぼ満杯になるとアップロードは拒否されます。',
  emptyTrash: 'ゴミ箱を空にする。',
  emptyTrashHint: 'ディスクがほぼ満杯の間は、すぐに空きになります。それ以外は猶予期間の後です。',
  cleanUp: '不要なものを削除し、',
  cleanUpHint:
    '（たとえばクリーンアップポリシーで）その後ゴミ箱を空にします。バージョンとロックされたオブジェクトは期限まで残ります。',
  move: '空きのあるストレージを追加し、',
  moveHint: 'バケットの設定でバケットをそこへ移動します。',
  enlarge: 'またはディスクを拡張します。再起動は不要です。',
}

export const formText: Translation<typeof english.formText> = {
  newTitle: 'ストレージを追加',
  newHint: '最初のバケットを作成するまで、このストレージには何も書き込まれません。',
  place: '場所',
  nameHint: '英小文字、数字、ハイフン。あとから変更できません。',
  nameBad: '英小文字、数字、ハイフンを 63 文字まで使ってください。先頭と末尾は英字か数字にしてください。',
  endpoint: 'エンドポイント',
  endpointHint: 'S3 エンジンの URL (http:// または https:// から始まるもの)。AWS の場合は空欄にします。',
  region: 'リージョン',
  bucket: 'バケット',
  prefix: 'プレフィックス',
  prefixHint: '空欄にすると、バケット全体が対象になります。',
  style: 'アドレス形式',
  styleName: (style) => ({ auto: '自動', path: 'バケットをパスに含める', host: 'バケットをホスト名に含める' })[style],
  styleHint: '自動: エンドポイントがある場合はパスに含めます。',
  folder: 'フォルダー',
  folderHint: 'STORAGE_FOLDERS で指定したフォルダー内の絶対パス。',
  credentials: '認証情報',
  credentialsHint: '空欄にすると、AWS SDK の通常の取得元を使います。',
  keyId: 'アクセスキー ID',
  secret: 'シークレットアクセスキー',
  secretHint: '暗号化して保存され、表示されることはありません。',
  badForm: '形式が正しくありません。',
  action: 'ストレージを追加',
  refused: 'このストレージは追加できません',
  added: (name) => `ストレージ ${name} を追加しました`,
}

export const testText: Translation<typeof english.testText> = {
  title: 'テスト',
  hint: 'バケットに必要なすべての操作を試します。あとには何も残りません。',
  hintSaved: '保存済みの設定を試します。あとには何も残りません。',
  action: 'テスト',
  again: '再テスト',
  passed: 'テストに合格しました',
  warned: '警告付きで合格しました',
  failed: 'テストに失敗しました',
  stale: 'このテストのあとに設定が変更されています。',
  checks: 'テスト項目',
  check: (name) =>
    ({
      reach: '接続',
      list: 'オブジェクトの一覧表示',
      order: 'キーの順序',
      head: 'プロパティ',
      read: '読み取り',
      if_match: '条件付きリクエスト',
      clock: '時計',
      versioning: 'バージョン',
      write: '書き込みと削除',
    })[name],
  status: (status) => ({ passed: '合格', warning: '警告', failed: '失敗', skipped: 'スキップ' })[status],
  preview: '最初のオブジェクト',
  key: 'キー',
  size: 'サイズ',
  modified: '更新日時',
}

export const eventsText: Translation<typeof english.eventsText> = {
  title: 'イベント通知',
  on: 'トークン設定済み',
  off: 'オフ',
  hintOff:
    'トークンがあると、S3 エンジンは接続したバケットでの変更をすぐに通知できます。ない場合、変更は 1 時間ごとのスキャンで検出されます。',
  hintOn:
    'S3 エンジンは、接続したバケットでの変更をすぐに通知できます。通知が届いている間も、スキャンは 1 日 1 回実行されます。',
  create: 'トークンを作成',
  replace: 'トークンを置き換える',
  replaceTitle: 'このトークンを置き換えますか？',
  replaceText: '今後、現在のトークンでの通知は拒否されます。エンジンに新しいトークンを設定してください。',
  delete: 'トークンを削除',
  deleteTitle: 'このトークンを削除しますか？',
  deleteText: 'エンジンからの通知は拒否されます。変更は 1 時間ごとのスキャンで検出されます。',
  deleted: 'トークンを削除しました',
  token: 'トークン',
  url: 'エンジンに設定する URL',
  bearer: 'トークンを Bearer トークンとして、イベント通知をこの URL に送るようエンジンを設定してください。',
  urlWithToken: 'トークンを含む URL',
  inUrl: 'Ceph など、トークンを別に送信できないエンジン用です。',
}
