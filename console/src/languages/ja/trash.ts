import type * as english from '../../features/trash/messages.ts'
import { formatCount, type Translation } from '../../i18n.ts'

const contents = (n: number) => `${formatCount(n)} 個の項目`

export const text: Translation<typeof english.text> = {
  title: 'ゴミ箱',
  hint: '削除されたファイルと以前のバージョンです。各バケットの保持期間の間、保持されます。',
  bucket: 'バケット',
  bucketOption: (name, size) => `${name} (${size})`,
  filter: 'パスで絞り込み',
  key: 'キー',
  size: 'サイズ',
  reason: '理由',
  deleted: '削除',
  overwritten: '置き換え',
  when: '削除日時',
  expires: '完全削除',
  actions: '操作',
  select: (key) => `${key} を選択`,
  selectAll: 'このページの項目をすべて選択',
  selected: (n) => `${contents(n)}を選択中`,
  restore: '復元',
  restoreOne: (key) => `${key} を復元`,
  purge: '完全に削除',
  purgeOne: (key) => `${key} を完全に削除`,
  restored: (n) => `${contents(n)}を復元しました`,
  restoredOne: (name) => `${name} を復元しました`,
  show: '表示',
  purged: (n) => `${contents(n)}を完全に削除しました`,
  emptyAll: 'ゴミ箱を空にする',
  emptyAllTitle: (bucket) => `${bucket} のゴミ箱を空にしますか？`,
  emptyAllText: (size) => `ゴミ箱の中のものをすべて完全に削除します (${size})。`,
  purgeTitle: (n) => `${contents(n)}を完全に削除しますか？`,
  purgeText: (size) => `削除後は復元できません (${size}):`,
  more: (n) => `ほか ${formatCount(n)} 個`,
  noneTitle: 'ゴミ箱は空です',
  noneHint: (days) =>
    days === 0
      ? 'このバケットのゴミ箱はオフです。'
      : `削除または置き換えられたファイルは、ここに ${formatCount(days)} 日間残ります。`,
  noBuckets: 'アクセスできるバケットの中に、ゴミ箱のあるものはありません。',
  takenTitle: (n) =>
    n === 1
      ? 'この名前のオブジェクトがすでに存在します'
      : `これらの名前のオブジェクトが、すでに ${formatCount(n)} 個存在します`,
  takenText: 'まだ何も復元していません。次のものがすでに存在します:',
  replace: '置き換える',
  replaceToTrash: 'ファイルを元の名前で復元します。現在のバージョンはゴミ箱に移動します。',
  replaceForGood: 'ファイルを元の名前で復元します。ゴミ箱がオフのため、現在のバージョンは完全に削除されます。',
  replaceLatest: '複数のバージョンがある場合は、最新のものを復元します。',
  replaceDenied:
    'ここでは置き換えられません。ゴミ箱がオフのため、現在のバージョンが完全に削除されます。「delete」と「manage」の権限が必要です。',
  keepBoth: '両方を残す',
  keepBothHint: 'ファイルを「report (restored).pdf」のような新しい名前で復元します。',
  restoreOthers: (n) => `残りの ${formatCount(n)} 個だけ復元`,
  restoredAs: (key) => `${key} として復元しました`,
}
