/** A row that lies in a workspace, or at the platform when it has no `workspace_id`. */
export interface Row {
  readonly id: string
  readonly workspace_id?: string
  /** The engine of the path; absent where paths name none. */
  readonly engine?: string
}
