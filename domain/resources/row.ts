/** A row in a workspace, or at the platform if it has no `workspace_id`. */
export interface Row {
  readonly id: string
  readonly workspace_id?: string
  /** The engine in the path; absent if paths name none. */
  readonly engine?: string
}
