import { imageSize } from 'image-size'

/** The width and height of a picture in pixels. */
export interface Sides {
  readonly width: number
  readonly height: number
}

/** Reads the format and the size from the header of a picture; returns undefined for an unreadable header. */
export function sidesOf(data: Buffer): (Sides & { readonly type: string }) | undefined {
  try {
    const { height, type = '', width } = imageSize(data)
    return { type, width, height }
  } catch {
    // image-size throws plain errors for unreadable headers, so all errors are caught.
    return undefined
  }
}
