/** A sample of a page. */
export interface PageSample {
  readonly kind: 'sample'
  readonly name: string
  /** The labels in the order of the page, without the name; a value may be empty. */
  readonly labels: readonly (readonly [name: string, value: string])[]
  readonly value: number
  /** The time that the page gives, in milliseconds since 1970; absent: the time of the scrape. */
  readonly time?: number
}

/** The description that a page has of a family of metrics. */
export interface PageMetadata {
  readonly kind: 'help' | 'type' | 'unit'
  readonly name: string
  readonly text: string
}

/** An entry of a page. */
export type PageEntry = PageSample | PageMetadata

/** The entries of a page; the iteration throws a `PageFault` at the first fault. */
export type PageEntries = Generator<PageEntry, void, undefined>

/** A fault of a page; the message names its line, and has nothing of the content. */
export class PageFault extends Error {
  override readonly name = 'PageFault'
}
