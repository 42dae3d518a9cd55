import type * as english from '../../features/attached/messages.ts'
import { formatCount, type Translation } from '../../i18n.ts'

const objects = (n: number) => `${formatCount(n)} 個のオブジェクト`

/** The way to an attached bucket. */
export const text: Translation<typeof english.text> = {
  right: 'admin',
  title: 'バケットを接続',
  hint: 'S3 エンジンのバケットを、ここに読み取り専用で表示します。中のものがコピー、変更、削除されることはありません。',
  step: (step) => ({ place: 'ストレージ', test: 'テスト', name: '名前', scan: '最初のスキャン' })[step],
  back: '戻る',
  // Storage
  placeTitle: 'オブジェクトはどこにありますか？',
  from: 'ストレージ',
  registered: '登録済みのストレージ',
  new: '新しいストレージ',
  prefix: 'プレフィックス',
  prefixHint: (location) => `空欄にすると、${location} のすべてが対象になります。`,
  newHint: '一覧表示と読み取りだけができる認証情報を使ってください。',
  goTest: '接続をテスト',
  // Test
  testHint: (location) => `${location} を読み取り専用で表示するために必要な項目です。`,
  testAgain: '再テスト',
  testFailed: 'このバケットを接続するには、失敗した項目の修正が必要です。',
  testWarned: '接続できます。先に警告を確認してください。',
  noObjects: 'オブジェクトはまだありません。あとから追加されたものは自動的に表示されます。',
  next: '続ける',
  // Name
  nameTitle: 'ここでの名前',
  bucketName: 'バケット名',
  bucketHint: 'ユーザー、共有リンク、S3 クライアントにはこの名前が表示されます。あとから変更できません。',
  storageName: 'ストレージ名',
  storageHint: '管理者用の名前です。ストレージはこの名前で一覧に追加されます。',
  shows: '表示するもの',
  onStorage: 'ストレージ',
  attach: 'バケットを接続',
  storageRefused: 'ストレージを追加できません',
  bucketRefused: 'バケットを接続できません',
  storageKept: (name) => `ストレージ ${name} は追加され、選択されています。入力し直す必要はありません。`,
  attached: (bucket) => `バケット ${bucket} を接続しました`,
  // First scan
  scanTitle: (bucket) => `${bucket} を接続しました`,
  scanWaits: '最初のスキャンがまもなく始まります。',
  scanRuns: '最初のスキャンでオブジェクトを検出しています。このページを離れても、バケットを使い始めてもかまいません。',
  scanEnds: (n) => `最初のスキャンが完了しました: ${objects(n)}`,
  scanHeld: '最初のスキャンは保留されました。',
  browse: 'バケットを開く',
  scans: 'スキャンを見る',
}

/** Scans. */
export const scanText: Translation<typeof english.scanText> = {
  title: 'スキャン',
  hint: 'スキャンでは、このバケットを S3 エンジンの一覧と照合します。',
  hintTakenOver:
    'スキャンでは、引き継いだものを S3 エンジンの一覧と照合します。そこでほかから加えられた変更は、検出事項になります。',
  scanNow: '今すぐスキャン',
  started: 'スキャンを開始しました',
  notAttached: 'このバケットは接続されたものではありません',
  notAttachedHint: 'スキャンの対象は、S3 エンジンのオブジェクトを表示するバケットだけです。',
  needsManage: 'このバケットに対する「manage」権限が必要です。',
  none: 'スキャンはまだありません',
  // One that runs
  active: (status) => (status === 'queued' ? 'スキャン待ち' : 'スキャン中'),
  progress: 'スキャンの進行状況',
  reading: 'オブジェクトを 1 つずつエンジンに照会しています',
  marking: (n) => `エンジンの一覧にない ${objects(n)}を確認しています`,
  at: '現在位置:',
  // The list
  when: '開始',
  trigger: '理由',
  triggers: (trigger) =>
    ({ attach: '最初のスキャン', request: '手動', schedule: 'スケジュール', take_over: '引き継ぎ' })[trigger],
  status: '状態',
  statuses: (status) =>
    ({
      queued: '待機中',
      running: '実行中',
      succeeded: '成功',
      held: '保留中',
      superseded: '置き換え済み',
    })[status],
  result: '結果',
  took: '所要時間',
  details: (when) => `${when} のスキャンの詳細`,
  listed: (n) => `一覧に ${objects(n)}`,
  added: (n) => `新規 ${formatCount(n)} 個`,
  changed: (n) => `変更 ${formatCount(n)} 個`,
  foreign: (n) => `外部 ${formatCount(n)} 個`,
  changedByOthers: (n) => `外部で変更 ${formatCount(n)} 個`,
  absent: (n) => `一覧になし ${formatCount(n)} 個`,
  missing: (n) => `欠落 ${formatCount(n)} 個`,
  removed: (n) => `削除 ${formatCount(n)} 個`,
  refused: (n) => `表示不可 ${formatCount(n)} 個`,
  missingHint:
    '欠落したオブジェクトは、早くても 24 時間後、2 回目のスキャンと最後の確認でも見つからなければ削除されます。',
  why: '問題の内容',
  by: '依頼者',
  confirmedBy: '確定者',
  lastKey: '最後のキー',
  finished: '終了',
  refusedTitle: '表示できないオブジェクト',
  refusedFirst: (shown, all) => `全 ${formatCount(all)} 個のうち最初の ${formatCount(shown)} 個です。`,
  key: 'キー',
  reason: '理由',
  // One that is held
  held: (reason) =>
    ({
      many_missing: 'スキャンを保留しました: 多数のオブジェクトが欠落しています',
      empty: 'スキャンを保留しました: エンジンの一覧にオブジェクトがありません',
      listing_failed: 'スキャンを保留しました: エンジンの一覧が不完全です',
      disordered: 'スキャンを保留しました: エンジンの一覧が順番どおりではありません',
      changed: '引き継いでいません: 外部で変更がありました',
      unreadable: '引き継いでいません: 読み取れないオブジェクトがあります',
    })[reason],
  notTakenOver: 'バケットは読み取り専用のままで、エンジン上のものは何も変更されていません。',
  untouched: '欠落とされたものはないため、すべて表示されたままです。',
  advice: (reason) =>
    ({
      many_missing: 'まだ存在するはずであれば、ストレージを確認してから、もう一度スキャンしてください。',
      empty:
        '意図的に空にした場合は、スキャンを確定してください。そうでなければ、ストレージを確認してから、もう一度スキャンしてください。',
      listing_failed: 'ストレージを確認してから、もう一度スキャンしてください。',
      disordered: 'キーの一覧が順番どおりに返されない間は、このエンジンをスキャンできません。',
      changed:
        '変更内容はすでに表示に反映されています。もう一度引き継ぐ前に、まだ書き込んでいるものを突き止めてください。',
      unreadable: 'エンジン上のオブジェクトと認証情報を確認してから、もう一度引き継いでください。',
    })[reason],
  absences: (n) => `欠落とされるもの: ${objects(n)}`,
  noAbsences: 'その後すべて見つかりました。もう一度スキャンしてください。',
  size: 'サイズ',
  modified: '更新日時',
  confirm: 'スキャンを確定…',
  confirmAdmins: '確定できるのは管理者だけです。',
  confirmWaits: '実行中のスキャンが終わるまでお待ちください。',
  confirmTitle: (n) => `${objects(n)}を欠落としますか？`,
  confirmLook: 'その前に、エンジン上で 1 つずつもう一度確認します。存在するものはそのまま残ります。',
  confirmEffect:
    '欠落とされたオブジェクトは、開くこともダウンロードすることもできません。共有リンクには、ファイルがなくなったことが表示されます。',
  confirmLater: '早くても 24 時間後、次のスキャンでも見つからなければ、リンクやタグとともに削除されます。',
  confirmAction: '欠落とする',
  confirmed: 'スキャンを確定しました',
  toStorage: 'ストレージを開く',
}

/** The way to a bucket that was taken over. */
export const takeOverText: Translation<typeof english.takeOverText> = {
  right: 'admin',
  title: '引き継ぎ',
  heading: (bucket) => `${bucket} を引き継ぐ`,
  intro: 'オブジェクトはこのバケット自身のものになります。データはコピーされず、今の場所に残ります。',
  // What it is about
  objects: 'オブジェクト',
  objectsOf: (n, size) => `${objects(n)}、${size}`,
  place: 'データの場所',
  requests: '事前のリクエスト',
  requestsOf: (n) => (n === 0 ? 'なし' : `${formatCount(n)} 件のリクエスト: オブジェクトを 1 つずつ照会します。`),
  quietSince: '最後の変更',
  notScanned: 'まだ不明',
  storage: '新しいデータのストレージ',
  storageHint: 'アップロードと新しいバージョンはここに保存されます。',
  quiet: '変更のない時間 (時間)',
  quietHint: 'この時間、外部での変更がスキャンで見つかっていないことが条件です。',
  // What happens
  happens: '引き継ぎの内容',
  willCompare:
    'オブジェクトを 1 つずつ照会し、最後のスキャンで一覧を照合します。外部で変更があった場合、バケットは読み取り専用のままです。',
  willWork: (storage) =>
    `その後は、クォータ、ゴミ箱、バージョン、アップロード、クリーンアップポリシーを備えた、ほかと同じバケットになります。新しいデータはストレージ ${storage} に保存されます。`,
  willDelete: 'ここで削除または上書きしたものは、ゴミ箱の期間と猶予期間のあと、エンジンからも削除されます。',
  willFind: 'その後エンジン上で外部から加えられた変更は、検出事項として表示されます。取り込まれることはありません。',
  // Whether it can be
  checkAgain: '再確認',
  ready: '引き継ぐことができます。',
  notReady: 'まだ引き継げません',
  problem: (code) =>
    ({
      not_scanned: '完了したスキャンがありません',
      not_quiet: '変更のない時間が足りません',
      scan_held: '最後のスキャンが保留中です',
      missing: '欠落したオブジェクトがあります',
      weak: 'エンジンに ETag がありません',
      not_removable: '認証情報では削除できません',
      unreachable: 'エンジンが正しく応答しません',
    })[code],
  busy: 'スキャンを実行中です。終わるまでお待ちください。',
  failed: '確認できません',
  missing: (n) => `欠落と記録されたオブジェクト: ${formatCount(n)} 個`,
  moreMissing: (n) => `ほか ${formatCount(n)} 個`,
  withoutMissing: 'これらを除いて引き継ぐ',
  withoutMissingHint: 'もう一度確認します。なくなったものはバケットから消え、そのリンクも終了します。',
  confirmed: 'ほかからこの場所への書き込みは停止しています',
  confirmedHint: 'アプリケーション、バックアップ、エンジンのライフサイクルルールも含みます。',
  start: '引き継ぐ',
  started: 'バケットを引き継いでいます',
  back: '戻る',
  scans: 'スキャンを見る',
  settings: '設定',
  browse: 'バケットを開く',
  // While it runs
  runs: (bucket) => `${bucket} を引き継いでいます`,
  waits: 'スキャンがまもなく始まります。',
  readingHint: 'ステップ 1/2: オブジェクトを 1 つずつ照会しています。',
  listingHint: 'ステップ 2/2: エンジンの一覧と照合しています。',
  runsHint: '外部で変更があった場合、バケットは読み取り専用のままです。このページを離れてもかまいません。',
  // The end
  done: (bucket) => `${bucket} を引き継ぎました`,
  doneHint: (storage) =>
    `オブジェクトをここで変更、削除できるようになりました。新しいデータはストレージ ${storage} に保存され、以前のものは今の場所に残ります。`,
  doneTrash: (days) =>
    days === 0
      ? 'ゴミ箱はオフです。ゴミ箱とクォータは、バケットの設定で変更できます。'
      : `ゴミ箱のファイルは ${formatCount(days)} 日間保持されます。ゴミ箱とクォータは、バケットの設定で変更できます。`,
  notAttached: 'このバケットは接続されたものではありません',
  notAttachedHint: '引き継げるのは、S3 エンジンのオブジェクトを表示するバケットだけです。',
}

/** What others did where a bucket was taken over. */
export const findingText: Translation<typeof english.findingText> = {
  title: '検出事項',
  hint: 'このバケットの引き継ぎ後に、エンジン上で外部から加えられた変更です。バケットに取り込まれることはありません。',
  none: '検出事項はありません',
  noneHint: '最後のスキャンの時点で、引き継いだ場所に外部での変更はありません。',
  notTakenOver: 'このバケットは引き継いだものではありません',
  notTakenOverHint: '検出事項とは、引き継いだバケットに外部から加えられた変更です。',
  meaning: '種類の意味',
  list: '検出されたもの',
  kind: '種類',
  kinds: (kind) => ({ changed: '変更', missing: '欠落', foreign: '外部' })[kind],
  meanings: (kind) =>
    ({
      changed:
        'エンジン上で外部から上書きされました。エンジンがバージョンを保持していれば、オブジェクトはまだ読み取れます。そうでなければ、もう一度アップロードするか、ここで削除してください。',
      missing:
        'エンジン上で外部から削除されました。エンジンがバージョンを保持していれば、オブジェクトはまだ読み取れます。そうでなければ、もう一度アップロードするか、ここで削除してください。',
      foreign:
        'エンジン上で外部から追加されました。ここには表示されません。必要な場合は、ここにアップロードしてから、エンジン上で削除してください。',
    })[kind],
  key: 'エンジン上のキー',
  object: 'ここでのオブジェクト',
  noObject: '現在のオブジェクトなし',
  size: '現在のサイズ',
  gone: 'なし',
  found: '検出日時',
  most: '最初の 1,000 件を表示しています。件数は最後のスキャンで確認できます。',
  toScans: 'スキャンを見る',
  ends: '検出事項は、スキャンで見つからなくなると消えます。',
}
