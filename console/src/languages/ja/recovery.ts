import type * as english from '../../features/recovery/messages.ts'
import { formatCount, type Translation } from '../../i18n.ts'

const copies = (n: number) => `${formatCount(n)} 個のコピー`

export const text: Translation<typeof english.text> = {
  title: '保護',
  hint: '何が失われる可能性があり、どうすれば取り戻せますか？',
  right: 'admin',
  // Contents of files
  contents: 'ファイルの内容',
  oneCopy: (mirrored) => `コピーは 1 つだけです。${mirrored} が失われると、内容も失われます。`,
  twoCopies: (mirror) => `すべての内容の 2 つ目のコピーが ${mirror} にあります。`,
  filling: (mirror) => `以前からある内容を ${mirror} にコピー中です。今この場所が失われると、残りは失われます。`,
  due: (n, mirror) => `まだ ${mirror} にない: ${copies(n)}。今この場所が失われると、それらは失われます。`,
  oldest: '最も古いものの待機開始:',
  acknowledges: (acknowledge) =>
    acknowledge === 'one'
      ? 'アップロードは 1 つ目のコピーが書き込まれると完了します。もう 1 つは後から書き込まれます。'
      : 'アップロードは両方のコピーが書き込まれると完了します。',
  whenDown: (down) =>
    down === 'refuse'
      ? '片方が停止している間、アップロードは拒否されます。'
      : '片方が停止している間、アップロードは 1 つのコピーで続行します。',
  keeps: (n) =>
    n === 0 ? '削除されたものは両方から削除されます。' : `削除されたものは ${formatCount(n)} 日間ミラーに残ります。`,
  locks: (mirror) =>
    `${mirror} はコピーをロックします (Object Lock)。その間は、キーがあっても誰もそこで破壊できません。`,
  wayBack: (name, mirror) => `${name} が失われた場合: ${mirror} に切り替えます。何もコピーされません。`,
  switched: (place) => `切り替え済み: 内容は最初に ${place} の場所から読み取られます。`,
  neverRead: '破損を調べるための全体の読み取りはまだ行われていません。',
  reading: '破損を調べるため全体を読み取り中。開始:',
  readWhole: (checked) => `全体を読み取り済み: ${copies(checked)}、破損なし。`,
  readDamaged: (checked, damaged) =>
    `全体を読み取り済み: ${copies(checked)}、うち ${formatCount(damaged)} 個が欠落または破損。`,
  repairs: '修復を表示',
  setUp: 'ミラーを設定…',
  change: 'ミラーを変更…',
  switchTo: (mirror) => `${mirror} に切り替え…`,
  switchTitle: (name, mirror) => `${name} を ${mirror} に切り替えますか？`,
  switchText: (name, mirror) =>
    `その後はすべて ${mirror} から読み取られ、最初にそこへ書き込まれます。${name} はミラーになり、不足分が送られます。同じボタンで元に戻せます。`,
  switchMissing: (n) => `まだそこにない ${copies(n)} は、もう一方の場所が復旧するまで読み取れません。`,
  switchDo: '切り替え',
  switchedTo: (mirror) => `${mirror} に切り替えました`,
  // The dialog of a mirror
  mirrorTitle: (name) => `${name} のミラー`,
  mirrorHint:
    'すべてのデータの 2 つ目の保存場所です。別のマシンを推奨します。既存の内容はバックグラウンドでコピーされます。',
  mirror: '2 つ目のコピーのストレージ',
  noOther: 'ほかのストレージがまだありません。先に登録してください。',
  register: 'ストレージを登録',
  acknowledge: 'アップロードの完了',
  acknowledgeOne: '1 つのコピーが書き込まれたとき',
  acknowledgeBoth: '両方のコピーが書き込まれたとき',
  down: '片方が停止している間',
  downRefuse: 'アップロードを拒否',
  downContinue: '1 つのコピーで続行',
  keepDays: '削除されたものの保持 (日)',
  keepDaysHint: 'ミラーに残り、操作ミスやこのマシンへの侵入者から守られます。',
  saved: 'ミラーを保存しました',
  turnOff: 'ミラーを無効化',
  turnOffTitle: (name) => `${name} のミラーを無効にしますか？`,
  turnOffText: '新しい内容のコピーは 1 つだけになります。ミラーにあるものはそのまま残ります。',
  turnedOff: 'ミラーを無効にしました',
  // The database
  database: '名前、ユーザー、設定',
  databaseOff:
    'このページが把握しているデータベースの 2 つ目のコピーはありません。失われると、すべての名前、ユーザー、権限、設定が失われ、内容も見つけられなくなります。',
  databaseHow:
    'SQLite の場合は、この変数に別のディスクのフォルダーまたは S3 エンジンを設定して再起動します。PostgreSQL の場合は、PostgreSQL のレプリケーションを使用します。',
  databaseCopying: (place) =>
    `データベースの最初のコピーを ${place} に書き込み中です。完了するまで、そこから復元できるものはありません。`,
  databaseFollows: (place) => `データベースの変更はすべて ${place} にコピーされます。`,
  databaseLoses: (span) => `今このマシンが失われると、直近 ${span} の変更が失われます。`,
  databaseFailing: (place) => `${place} のコピーに書き込めません:`,
  databaseStill: '復元できる最後の時点:',
  databaseFenced: '別のインスタンスが引き継ぎました。このインスタンスはもう書き込めません。',
  waiting: (size) => `コピー待ち: ${size}。`,
  base: (size) => `最新の完全なコピー: ${size}、作成:`,
  recover: '空のマシンで次のコマンドを実行すると、すべてが復元されます:',
  backupState: (state) =>
    ({
      off: 'コピーなし',
      copying: '開始中',
      following: '最新',
      failing: '失敗',
      fenced: '引き継ぎ済み',
    })[state],
  // Replicas
  replicas: '他者向けのレプリカ',
  noReplicas:
    'レプリカのあるバケットはありません。レプリカは、同じファイルを同じ名前で持つ別の S3 エンジンのバケットで、このサービスなしで読み取れます。',
  bucket: 'バケット',
  place: 'レプリカ',
  state: '状態',
  paused: '一時停止中',
  broken: '書き込み不可',
  someFailed: (n) => `${formatCount(n)} 件失敗`,
  replicaFilling: '作成中',
  behind: '追いつき中',
  upToDate: '最新',
  lag: '遅れ',
  lagOf: (span, n, size) => `${span} (${formatCount(n)} 個のオブジェクト、${size})`,
  none: 'なし',
  replicate: 'バケットを複製…',
  edit: (bucket) => `${bucket} のレプリカを変更`,
  pause: (bucket) => `${bucket} のレプリカを一時停止`,
  resume: (bucket) => `${bucket} のレプリカを再開し、失敗を再試行`,
  stop: (bucket) => `${bucket} の複製を停止`,
  stopTitle: (bucket) => `${bucket} の複製を停止しますか？`,
  stopText: 'レプリカにあるものはそのまま残ります。',
  stopDo: '複製を停止',
  stopped: '複製を停止しました',
  replicaTitle: 'バケットの複製',
  replicaHint: 'オブジェクトは変更のたびに書き込まれます。ほかのユーザーが同じ名前で書き込んだものは上書きされます。',
  target: 'ストレージ',
  noTarget: 'レプリカには、S3 エンジン上の登録済みストレージが必要です。',
  targetPrefix: '書き込み先のプレフィックス',
  targetPrefixHint: 'ストレージのものを使う場合は空のままにします。',
  onlyPrefix: 'このフォルダーのみ',
  onlyPrefixHint: 'バケット全体なら空のままにします。',
  deletes: 'ここで削除したものをレプリカでも削除',
  existing: '既存のものも含める',
  replicaDo: '複製を開始',
  replicaSaved: (bucket) => `${bucket} のレプリカを保存しました`,
  rules: (n) => `${formatCount(n)} 個のルールがあり、コマンドラインでのみ変更できます。保存すると置き換えられます。`,
  // Encryption
  encryption: 'ディスクの盗難',
  encrypted: (share, part, all) => `保存データの ${share} が暗号化されています (${all} 中 ${part})。`,
  notEncrypted: '保存データは暗号化されていません。ディスクを入手した人は読み取れます。',
  encryptHow: '各バケットの「保護」ページで暗号化できます。新しいバケットの設定は「設定」にあります。',
  settings: '設定',
  keys: '暗号鍵',
  // Mistakes
  mistakes: '操作ミスと盗まれた鍵',
  kept: (n) => `置換または削除されたファイルは、すべてのバケット (${formatCount(n)} 個) で復元できます。`,
  notKept: '次のバケットでは、ゴミ箱もバージョンもないため、削除は元に戻せません。',
  undoHow: 'バケットの「履歴」ページでは、任意の時点の内容と、その後誰が何を変更したかを表示し、その時点に戻せます。',
}
