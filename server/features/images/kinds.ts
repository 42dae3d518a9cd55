/** The formats that can be read. */
export type Kind = 'jpeg' | 'png' | 'gif' | 'webp' | 'avif' | 'tiff'

/** What an image's header says: enough to plan every derivative. */
export interface Source {
  kind: Kind
  /** After rotation to upright. */
  width: number
  height: number
  /** Frames, or pages. */
  pages: number
  alpha: boolean
  /** Progressive or interlaced: decoding holds the whole image in memory. */
  full: boolean
}
/** Why a blob cannot be a source: unsupported format, broken, or crafted to keep us busy. */
export type Unusable = { refused: 'unsupported' | 'broken' | 'too_many_scans' }
