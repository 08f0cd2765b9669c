/** The parts of the content of repositories: the blob store and the keys of tokens. */
export interface ContentParts {
  /** The time for which a blob without a link is kept, in milliseconds. */
  readonly collectionGraceMs: number
}
