import type * as english from '../../features/home/messages.ts'
import { formatCount, type Translation } from '../../i18n.ts'

export const text: Translation<typeof english.text> = {
  title: 'ホーム',
  // First steps
  firstSteps: 'セットアップの続き',
  progress: (done, all) => `${formatCount(done)} / ${formatCount(all)} 完了`,
  hide: '非表示',
  password: '自動生成されたパスワードを変更',
  passwordHint: 'サービスが出力したため、ログに残っている可能性があります。',
  bucket: 'バケットを作成',
  bucketHint: 'または、すでに S3 エンジン上にあるバケットを接続します。',
  people: 'ユーザーを追加',
  peopleHint: 'アカウントと、誰が何をできるかを決めるグループを作成します。',
  sso: 'シングルサインオンを設定',
  ssoHint: 'ユーザーは既存のアカウントでログインできます。',
  client: 'S3 クライアントを接続',
  clientHint: 'rclone、AWS CLI、バックアップツール用のアクセスキーを作成します。',
  webhook: 'Webhook にイベントを送信',
  webhookHint: 'ここでの変更を自社のサービスに通知します。',
  done: '完了',
  open: '未完了',
  // Key figures
  buckets: 'バケット',
  objects: 'オブジェクト',
  stored: '保存済み',
  inTrash: 'ゴミ箱内',
  withoutFolders: 'フォルダーのみ利用できるバケットを除く',
  // Attention
  attention: '要確認',
  nothing: '確認が必要な事項はありません。',
  diskShort: 'ディスクがほぼ満杯です。空きができるまでアップロードは拒否されます。',
  diskNearlyFull: (free) => `ディスクの空きが少なくなっています: 残り ${free}。`,
  storageDown: (name) => `ストレージ ${name} に接続できません。`,
  historyFull: (bucket) => `${bucket} のスナップショットが上限を超えています。新しいものは作成されません。`,
  full: (bucket) => `${bucket} は容量がいっぱいです。新しいアップロードは拒否されます。`,
  nearlyFull: (bucket, share) => `${bucket} は容量の ${share} を使用しています。`,
  webhookOff: (name) => `Webhook ${name} は、失敗が多すぎるため無効になりました。`,
  webhookFailing: (name) => `Webhook ${name} が失敗しています。最初の失敗：`,
  webhookFails: (name, n) => `過去 24 時間に、Webhook ${name} への配信が ${formatCount(n)} 件失敗しました。`,
  tokenExpires: (name) => `アクセストークン ${name} の有効期限がまもなく切れます:`,
  keyExpires: (name) => `アクセスキー ${name} の有効期限がまもなく切れます:`,
  scanHeld: (bucket) => `${bucket} のスキャンが確認を待っています。`,
  findings: (bucket, n) =>
    `${bucket} の ${formatCount(n)} 個のオブジェクトが、エンジン上でほかのユーザーやシステムによって変更されました。`,
  // Work in progress, buckets
  running: '実行中のジョブ',
  largest: '容量の大きいバケット',
  allBuckets: 'すべてのバケット',
}
