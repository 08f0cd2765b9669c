/** The source of time and of ids for domain code. */
export interface Clock {
  /** Returns the time in milliseconds since 1970. */
  now(): number
  /** Returns a new UUIDv7 in lower case. The ids of one process ascend. */
  newId(): string
}
