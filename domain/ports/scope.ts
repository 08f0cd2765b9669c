/** The scope at which a thing lives: bare type, and an id that is empty for PLATFORM. */
export interface Scope {
  readonly type: 'PLATFORM' | 'ORGANISATION' | 'GROUP' | 'WORKSPACE'
  readonly id: string
}
