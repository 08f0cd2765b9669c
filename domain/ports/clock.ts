/** The source of time and of ids for domain code. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** A new UUIDv7 in lower case. The ids of one process ascend. */
  newId(): string
}
