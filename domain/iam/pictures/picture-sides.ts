import { imageSize } from 'image-size'

/** In pixels. */
export interface Sides {
  readonly width: number
  readonly height: number
}

/** The kind of a picture and the sides that its header says; undefined where there is none to read. */
export function sidesOf(data: Buffer): (Sides & { readonly type: string }) | undefined {
  try {
    const { height, type = '', width } = imageSize(data)
    return { type, width, height }
  } catch {
    // It throws of what it cannot read, and says why in words only.
    return undefined
  }
}
