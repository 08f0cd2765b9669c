import { measuredJpeg, stripJpeg } from './picture-jpeg.ts'
import { stripPng } from './picture-png.ts'
import { sidesOf } from './picture-sides.ts'
import { stripWebp } from './picture-webp.ts'

/** The media types of pictures (iam.md 4.8). */
export type PictureType = 'image/png' | 'image/jpeg' | 'image/webp'

/** A picture without what tells of its maker, and its sides in pixels. */
export interface Picture {
  readonly data: Buffer
  readonly width: number
  readonly height: number
}

/** Undefined for what is not a whole picture of the type; what it shows is left as it is, byte by byte. */
type Strip = (data: Buffer) => Buffer | undefined

const formats = {
  'image/png': { type: 'png', strip: stripPng },
  'image/jpeg': { type: 'jpg', strip: stripJpeg },
  'image/webp': { type: 'webp', strip: stripWebp },
} as const satisfies Readonly<Record<PictureType, { readonly type: string; readonly strip: Strip }>>

/**
 * Cuts comments, camera data and everything unknown out of a picture; undefined for what is no picture of the type. Only
 * what was walked through from its first to its last byte is measured.
 */
export function pictureOf(data: Buffer, contentType: PictureType): Picture | undefined {
  const { strip, type } = formats[contentType]
  const stripped = strip(data)
  const size = stripped && sidesOf(type === 'jpg' ? measuredJpeg(stripped) : stripped)
  return stripped && size?.type === type ? { data: stripped, width: size.width, height: size.height } : undefined
}
