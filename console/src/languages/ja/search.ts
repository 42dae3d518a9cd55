import type * as english from '../../features/search/messages.ts'
import { formatCount, type Translation } from '../../i18n.ts'

export const text: Translation<typeof english.text> = {
  title: '検索',
  field: 'すべてのバケットを検索',
  allFor: (query) => `すべてのバケットで「${query}」を検索`,
  inAll: 'すべてのバケットで検索',
  exportList: '一覧をエクスポート',
  exportStreams: '見つかったものをすべて、届いた順にファイルに書き込みます。',
  exportHolds: '見つかったものすべてが対象です。このブラウザーでは、完了するまでファイルをメモリに保持します。',
  csv: 'CSV（表計算ソフト用）',
  ndjson: 'NDJSON（正確なパス）',
  exported: (name) => `${name} を保存しました`,
  found: (n, isExact) =>
    isExact
      ? `${formatCount(n)} 件のオブジェクトが見つかりました`
      : `${formatCount(n)} 件以上のオブジェクトが見つかりました`,
  results: '検索結果',
  place: '場所',
  searching: '検索しています…',
  // What is not understood
  notUnderstood: (part) => `「${part}」を解釈できません。`,
  searchInstead: (query) => `${query} を使う`,
  suggestions: '候補',
  fieldOf: (field) =>
    ({
      name: 'ファイル名',
      key: 'パス全体',
      prefix: 'フォルダー',
      ext: '拡張子',
      type: 'コンテンツタイプ',
      kind: 'ファイルの種類',
      size: 'サイズ',
      modified: '最終変更',
      created: '最初のアップロード',
      tag: 'タグ',
      meta: 'メタデータ',
      by: 'アップロードしたユーザー',
      encrypted: '暗号化',
      storage: 'ストレージクラス',
      bucket: 'バケット',
    })[field],
  // Attached buckets
  unread: '次のバケットはすべてを検索できませんでした:',
  unreadIn: (n, isExact) =>
    `${formatCount(n)} 件${isExact ? '' : '以上'}のオブジェクトがまだ読み込まれておらず、タグ、メタデータ、種類では見つかりません。`,
  moreBuckets: (n) => `ほか ${formatCount(n)} 個のバケット`,
  // Before anything is searched for
  startTitle: 'すべてのバケットからオブジェクトを探す',
  startHint: '名前の一部を入力するか、次のような条件を組み合わせて検索します:',
  exampleTag: 'タグ「project」の値が「apollo」のもの',
  examplePictures: '過去 7 日間に変更された画像',
  exampleLarge: (size) => `${size} を超える PDF ファイル`,
  nothingHint: '一覧表示できるオブジェクトだけが見つかります。条件を確認するか、減らしてください。',
  clear: '検索をクリア',
  keyField: '検索',
  keyOpen: '開く',
  keyMove: 'カーソルを移動',
}
