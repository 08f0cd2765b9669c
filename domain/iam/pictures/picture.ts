import { measuredJpeg, stripJpeg } from './picture-jpeg.ts'
import { stripPng } from './picture-png.ts'
import { sidesOf } from './picture-sides.ts'
import { stripWebp } from './picture-webp.ts'

/** The media types of pictures (iam.md 4.8). */
export type PictureType = 'image/png' | 'image/jpeg' | 'image/webp'

/** A picture without metadata, with its width and height in pixels. */
export interface Picture {
  readonly data: Buffer
  readonly width: number
  readonly height: number
}

/**
 * Removes the metadata, and copies the visible data byte by byte. Returns undefined for data that is not a complete
 * picture of the type.
 */
type Strip = (data: Buffer) => Buffer | undefined

const formats = {
  'image/png': { type: 'png', strip: stripPng },
  'image/jpeg': { type: 'jpg', strip: stripJpeg },
  'image/webp': { type: 'webp', strip: stripWebp },
} as const satisfies Readonly<Record<PictureType, { readonly type: string; readonly strip: Strip }>>

/**
 * Removes comments, camera data and unknown parts from a picture. Returns undefined for data that is not a picture of
 * the type. The size is measured in the cleaned data, which was parsed completely.
 */
export function pictureOf(data: Buffer, contentType: PictureType): Picture | undefined {
  const { strip, type } = formats[contentType]
  const stripped = strip(data)
  const size = stripped && sidesOf(type === 'jpg' ? measuredJpeg(stripped) : stripped)
  return stripped && size?.type === type ? { data: stripped, width: size.width, height: size.height } : undefined
}
