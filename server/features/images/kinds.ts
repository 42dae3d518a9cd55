/** The formats that are read. */
export type Kind = 'jpeg' | 'png' | 'gif' | 'webp' | 'avif' | 'tiff'

/** What the header of an image says: enough to plan every derivative of it. */
export interface Source {
  kind: Kind
  /** Upright. */
  width: number
  height: number
  /** Frames, or pages. */
  pages: number
  alpha: boolean
  /** Progressive or interlaced: decoded it is in memory as a whole. */
  full: boolean
}
/** Why a blob is no source: of another kind than we read, broken, or made to keep us busy. */
export type Unusable = { refused: 'unsupported' | 'broken' | 'too_many_scans' }
