/** The size of the file system of an instance, in bytes. */
export interface DiskSpace {
  readonly capacityBytes: number
  readonly usedBytes: number
  /** The bytes that the server can still write. */
  readonly availableBytes: number
}

/** The reasons for which an instance cannot be used, as conditions of the instance name them. */
export type FolderFault = 'NoRoot' | 'FolderMissing' | 'DiskFull' | 'ProbeFailed'

/** The result of a check of an instance. */
export type FolderCheck =
  | { readonly kind: 'good'; readonly space: DiskSpace }
  /** `message` is for people; it has no path of the host. */
  | { readonly kind: 'faulty'; readonly reason: FolderFault; readonly message: string; readonly space?: DiskSpace }

/** The folders of the instances of storage classes on this host. No function rejects. */
export interface InstanceFolders {
  /**
   * Makes the folder of a new instance below the root of the location with the most free bytes, and checks the folder.
   * A repeated call continues with the folder that it finds.
   */
  provision(instance: string, location: string): Promise<FolderCheck>
  /** Checks the folder of an instance: writes, synchronises, renames and deletes a file, and reads the free space. */
  check(instance: string): Promise<FolderCheck>
  /** Deletes the folder of an instance with all its files. Returns false if the host refuses. */
  remove(instance: string): Promise<boolean>
}
