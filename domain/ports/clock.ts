/** What domain code knows of time and identity. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** A new UUIDv7, lower case; those of one process grow. */
  newId(): string
}
