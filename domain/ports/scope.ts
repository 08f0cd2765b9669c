/** A scope of the tree: its type without prefix, and its id, which is empty for PLATFORM. */
export interface Scope {
  readonly type: 'PLATFORM' | 'ORGANISATION' | 'GROUP' | 'WORKSPACE'
  readonly id: string
}
