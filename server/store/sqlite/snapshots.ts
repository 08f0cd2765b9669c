import { PendingWork } from '../pending-work.ts'
import { SqliteConnection } from './connection.ts'

/** The maximal number of idle connections for further snapshots; opening a connection takes less than a millisecond. */
const maxIdle = 4

/** The connections for snapshots: one for each running snapshot, and some idle connections. */
export class SnapshotConnections {
  readonly #file: string
  readonly #idle: SqliteConnection[] = []
  readonly #underWay = new PendingWork()

  constructor(file: string) {
    this.#file = file
  }

  /** Runs `work` in a reading transaction, and returns its result. */
  run<R>(work: (connection: SqliteConnection) => Promise<R>): Promise<R> {
    return this.#underWay.run(async () => {
      const connection = this.#idle.pop() ?? this.#opened()
      try {
        connection.exec('BEGIN')
        return await work(connection)
      } finally {
        this.#release(connection)
      }
    })
  }

  /** Refuses new snapshots, waits for running snapshots, and closes the connections. */
  async close(): Promise<void> {
    await this.#underWay.close()
    for (const connection of this.#idle.splice(0)) connection.close()
  }

  #opened(): SqliteConnection {
    const connection = new SqliteConnection(this.#file, 'snapshot')
    connection.endOpening()
    return connection
  }

  #release(connection: SqliteConnection): void {
    if (connection.isTransaction) connection.exec('ROLLBACK')
    if (this.#idle.length < maxIdle) this.#idle.push(connection)
    else connection.close()
  }
}
