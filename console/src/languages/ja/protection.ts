import type * as english from '../../features/protection/messages.ts'
import { formatCount, type Translation } from '../../i18n.ts'

const days = (n: number) => `${formatCount(n)} 日`
const years = (n: number) => `${formatCount(n)} 年`

export const text: Translation<typeof english.text> = {
  title: '保護',
  summary: '削除できるものと、削除できるユーザー',
  // Sentences
  trashOnly: (n) =>
    `置き換えまたは削除されたファイルはゴミ箱に移動し、${days(n)}以内であれば復元できます。その後は完全に削除されます。`,
  nothingKept: '置き換えまたは削除されたファイルは、ただちに完全に削除されます。バージョンとゴミ箱はどちらもオフです。',
  versionsKept:
    '置き換えまたは削除されたファイルは、「delete」権限を持つユーザーまたはクリーンアップポリシーがそのバージョンを削除するまで、バージョンとして残ります。',
  versionsLeft:
    '以前のバージョンは、「delete」権限を持つユーザーまたはクリーンアップポリシーが削除するまで残ります。新しいバージョンは作成されません。',
  versionsTrash: (n) => `削除されたバージョンはゴミ箱に移動し、${days(n)}以内であれば復元できます。`,
  versionsGone: '削除されたバージョンは、ただちに完全に削除されます。ゴミ箱はオフです。',
  purge: '「manage」権限を持つユーザーは、いつでもゴミ箱を空にできます。',
  purgeVersions: '「manage」権限を持つユーザーは、いつでもゴミ箱を空にし、バージョンを完全に削除できます。',
  purgeUnlocked:
    '「manage」権限を持つユーザーは、いつでもゴミ箱を空にし、ロックされていないバージョンを完全に削除できます。',
  notLocked: 'このバケットの内容はロックできません。',
  lockedSingly: 'バージョンは 1 つずつロックできます。ロックされたバージョンは、ロックが終了するまで削除できません。',
  lockedCompliance: (period) =>
    `新しいバージョンはすべて ${period}間ロックされます。その間は、管理者を含め誰も削除できません。`,
  lockedGovernance: (period) =>
    `新しいバージョンはすべて ${period}間ロックされます。その間は、「bypass_lock」権限を持つユーザーだけが削除できます。`,
  holds: 'リーガルホールド中のバージョンは、「manage」権限を持つユーザーが解除するまで残ります。',
  overwrite:
    'ロックされたファイルも置き換えや削除ができます。ロックされたバージョンは、新しいバージョンの後ろに残ります。',
  // Public access
  private: 'このバケットに公開されているものはありません。',
  readOnly: 'バケットが読み取り専用のため、ここでは誰も変更や削除ができません。',
  readOnlyEngine:
    'S3 エンジンに保存されている内容を表示しています。エンジンにアクセスできる人は、エンジン上で変更や削除ができます。',
  publicAccess: '公開アクセス',
  publicBlocked: 'ブロック中: バケットポリシー、ACL、「Public」グループの権限は、ここでは効力を持ちません。',
  publicRemoves: 'S3 エンドポイントでは、アクセスキーなしで誰でもファイルを置き換えたり削除したりできます。',
  publicHow:
    'バケットポリシー、ACL、または「Public」グループの権限によって許可されています。変更は次のリクエストから有効になりますが、キャッシュにはオブジェクトが 1 分ほど残ることがあります。',
  blockPublic: '公開アクセスをブロック',
  blockTitle: (bucket) => `${bucket} への公開アクセスをブロックしますか？`,
  blockText: 'すべてのリクエストにアクセスキーが必要になります。ブロックはあとから解除できます。',
  allowPublic: 'ブロックを解除',
  blocked: '公開アクセスをブロックしました',
  unblocked: 'ブロックを解除しました',
  // Versions
  versioning: 'バージョン',
  versioningIs: (state) =>
    ({
      off: 'オフ: 置き換えまたは削除されたファイルは、ゴミ箱に移動します。',
      enabled: 'オン: 置き換えまたは削除されたファイルは、削除されるまでバージョンとして残ります。',
      suspended: '停止中: 既存のバージョンは残りますが、新しいバージョンは作成されません。',
    })[state],
  versionBytes: (size) => `以前のバージョンは、クォータのうち ${size} を使用しています。`,
  enable: 'バージョンをオンにする',
  enableTitle: (bucket) => `${bucket} でバージョンを保持しますか？`,
  enableText:
    '置き換えまたは削除されたファイルがバージョンとして残り、クォータに算入されます。バージョンはあとから停止できますが、オフにはできません。',
  enabled: 'バージョンをオンにしました',
  suspend: 'バージョンを停止',
  suspended: 'バージョンを停止しました',
  lockKeepsOn: 'オブジェクトロックがオンのため、バージョンは停止できません。',
  // Object Lock
  objectLock: 'オブジェクトロック',
  lockOff: 'オフ。オンにすると、バージョンを一定期間削除されないように保護できます。',
  lockNeedsVersions: 'オフ。バージョンをオンにする必要があります。',
  lockOn: 'オン。オフに戻すことはできません。',
  turnOn: 'オブジェクトロックをオンにする',
  turnOnTitle: (bucket) => `${bucket} でオブジェクトロックをオンにしますか？`,
  turnOnText: 'オフに戻すことはできません。また、バージョンを停止できなくなります。',
  turnedOn: 'オブジェクトロックをオンにしました',
  byDefault: '新しいバージョン',
  mode: (mode) =>
    ({
      none: 'デフォルトではロックしない',
      governance: 'ガバナンスモードでロック',
      compliance: 'コンプライアンスモードでロック',
    })[mode],
  modeHint: (mode) =>
    ({
      none: 'S3 クライアントとユーザーが、ロックするバージョンを選びます。',
      governance: '「bypass_lock」権限を持つユーザーは、バージョンの削除やロック期間の短縮ができます。',
      compliance: '管理者を含め、誰もバージョンの削除やロック期間の短縮はできません。',
    })[mode],
  period: '期間',
  unit: '単位',
  days: '日',
  years: '年',
  daysOf: days,
  yearsOf: years,
  save: '保存',
  saved: 'オブジェクトロックの設定を保存しました',
  complianceTitle: (period) => `新しいバージョンをすべて ${period}間ロックしますか？`,
  complianceText:
    'コンプライアンスモードでは、アップロード済みのバージョンのロックは、管理者を含め誰も取り消せません。',
  complianceAction: '新しいバージョンをロック',
  // The clock
  clockTitle: '時計がずれている可能性があります',
  confirmClock: '時計を確認',
  confirmClockTitle: '時計は正しいですか？',
  confirmClockText: (now) =>
    `現在の時計は ${now} です。確認すると、この時計でロックが終了しているバージョンを完全に削除できるようになります。`,
  clockConfirmed: '時計を確認しました',
  // One version
  lock: 'ロック…',
  lockWhat: (name, time) => `${name}（${time} のバージョン）`,
  lockDo: 'ロック',
  notLockedHint: '「delete」を持つユーザーはこのバージョンを削除できます。',
  lockTitle: 'このバージョンをロック',
  lockMode: 'モード',
  modeName: (mode) => ({ none: 'ロックなし', governance: 'ガバナンス', compliance: 'コンプライアンス' })[mode],
  until: '期限',
  bypasses: 'このバージョンはガバナンスモードでロックされています。この操作には「bypass_lock」権限を使用します。',
  legalHold: 'リーガルホールド',
  legalHoldHint: '解除されるまでバージョンを保持します。「manage」権限が必要です。',
  locked: 'ロックを保存しました',
  lockedUntil: (time) => `${time} までロック`,
  onHold: 'リーガルホールド中',
  compliance: 'それまでは誰も削除できません。',
  governance: 'それまでは「bypass_lock」権限を持つユーザーだけが削除できます。',
  heldHint: '「manage」権限を持つユーザーが解除するまで残ります。',
  lockEnded: (time) => `ロック終了: ${time}`,
}
