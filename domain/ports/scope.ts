/** A scope of the tree: its type without the prefix of an enum, and its id, which is empty for PLATFORM. */
export interface Scope {
  readonly type: 'PLATFORM' | 'ORGANISATION' | 'GROUP' | 'WORKSPACE'
  readonly id: string
}
