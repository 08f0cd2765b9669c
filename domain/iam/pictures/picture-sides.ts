import { imageSize } from 'image-size'

/** The sides of a picture in pixels. */
export interface Sides {
  readonly width: number
  readonly height: number
}

/** Reads the kind and the sides from the header of a picture; returns undefined for an unreadable header. */
export function sidesOf(data: Buffer): (Sides & { readonly type: string }) | undefined {
  try {
    const { height, type = '', width } = imageSize(data)
    return { type, width, height }
  } catch {
    // image-size throws errors without a type of their own for unreadable headers.
    return undefined
  }
}
