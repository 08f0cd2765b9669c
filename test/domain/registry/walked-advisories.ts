import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Advisories } from '../../../domain/registry/scanning/advisories.ts'
import { OsvDatabase } from '../../../server/registry/advisories/osv-database.ts'
import { walkedServer, peerOf } from '../../areas/kill/serve-walked.ts'
import { recordText } from '../../server/registry/advisories/records.ts'
import { tarOf } from '../../server/registry/layers/tar-maker.ts'

/** The time between two looks at the folder, in milliseconds. */
const everyMs = 100

/** A layer of Debian 12 with the package `openssl`, as text: the archive has ASCII characters alone. */
export const debianLayer = tarOf(
  { name: 'etc/os-release', content: 'ID=debian\nVERSION_ID="12"\n' },
  {
    name: 'var/lib/dpkg/status',
    content: 'Package: openssl\nStatus: install ok installed\nArchitecture: amd64\nVersion: 3.0.11\n\n',
  },
).toString('ascii')

/** The folder of advisories beside walked servers. */
export class AdvisoryFolder {
  readonly path: string

  constructor(path: string) {
    this.path = path
  }

  /** Adds an advisory about the package of `debianLayer`. */
  write(id: string): void {
    // A server reads the file once it has its name, with all of its content.
    const written = join(this.path, `${id}.new`)
    writeFileSync(written, recordText({ id, ecosystem: 'Debian:12', name: 'openssl', fixed: '3.0.12' }))
    renameSync(written, join(this.path, `${id}.json`))
  }

  /** Deletes all advisories. */
  clear(): void {
    rmSync(this.path, { recursive: true })
    mkdirSync(this.path)
  }
}

/**
 * The advisories of a walked server. Each process imports the folder anew, so a new process begins without advisories, and
 * two servers of a store do not write the same file.
 */
export function walkedAdvisories(): Advisories {
  let database: OsvDatabase | undefined
  const opened = (): OsvDatabase => {
    if (database) return database
    const server = walkedServer()
    const dataDir = join(server.place.dataDir, `advisories-${process.pid}`)
    mkdirSync(dataDir, { recursive: true })
    database = new OsvDatabase({ folder: peerOf(server, 'advisories'), dataDir, log: console, everyMs })
    return database
  }
  return { state: () => opened().state(), match: (...call) => opened().match(...call) }
}
